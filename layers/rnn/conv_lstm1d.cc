#include <rhyton/layers/rnn/conv_lstm1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

ConvLSTM1D::ConvLSTM1D(std::int64_t filters, Size1 kernel_size, const ConvLSTM1DOptions& options)
    : RNN(make_conv_lstm(Arguments{options, filters, kernel_size})) {}

ConvLSTM1D ConvLSTM1D::from_config(const io::Json& config) {
  const auto arguments = read_layer<ConvLSTM1D>(config);
  return ConvLSTM1D(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
