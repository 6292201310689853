#include <rhyton/layers/rnn/gru.h>

#include <rhyton/layers/rnn/built_in_rnn.h>
#include <rhyton/layers/rnn/gru_cell.h>

namespace rhyton::layers {

GRU::GRU(std::int64_t units, const GRUOptions& options)
    : RNN(std::make_shared<BuiltInRNNImpl<GRU, GRUCell>>(GRUArguments{options, units})) {}

GRU GRU::from_config(const io::Json& config) {
  const auto arguments = read_layer<GRU>(config);
  return GRU(arguments.units, arguments);
}

}  // namespace rhyton::layers
