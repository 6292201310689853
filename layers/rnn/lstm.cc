#include <rhyton/layers/rnn/lstm.h>

#include <rhyton/layers/rnn/built_in_rnn.h>
#include <rhyton/layers/rnn/lstm_cell.h>

namespace rhyton::layers {

LSTM::LSTM(std::int64_t units, const LSTMOptions& options)
    : RNN(std::make_shared<BuiltInRNNImpl<LSTM, LSTMCell>>(LSTMArguments{options, units})) {}

LSTM LSTM::from_config(const io::Json& config) {
  const auto arguments = read_layer<LSTM>(config);
  return LSTM(arguments.units, arguments);
}

}  // namespace rhyton::layers
