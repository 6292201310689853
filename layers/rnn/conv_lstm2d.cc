#include <rhyton/layers/rnn/conv_lstm2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

ConvLSTM2D::ConvLSTM2D(std::int64_t filters, Size2 kernel_size, const ConvLSTM2DOptions& options)
    : RNN(make_conv_lstm(Arguments{options, filters, kernel_size})) {}

ConvLSTM2D ConvLSTM2D::from_config(const io::Json& config) {
  const auto arguments = read_layer<ConvLSTM2D>(config);
  return ConvLSTM2D(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
