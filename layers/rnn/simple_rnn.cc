#include <rhyton/layers/rnn/simple_rnn.h>

#include <rhyton/layers/rnn/built_in_rnn.h>
#include <rhyton/layers/rnn/simple_rnn_cell.h>

namespace rhyton::layers {

SimpleRNN::SimpleRNN(std::int64_t units, const SimpleRNNOptions& options)
    : RNN(std::make_shared<BuiltInRNNImpl<SimpleRNN, SimpleRNNCell>>(SimpleRNNArguments{options, units})) {}

SimpleRNN SimpleRNN::from_config(const io::Json& config) {
  const auto arguments = read_layer<SimpleRNN>(config);
  return SimpleRNN(arguments.units, arguments);
}

}  // namespace rhyton::layers
