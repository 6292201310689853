#include <rhyton/layers/rnn/conv_lstm3d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

ConvLSTM3D::ConvLSTM3D(std::int64_t filters, Size3 kernel_size, const ConvLSTM3DOptions& options)
    : RNN(make_conv_lstm(Arguments{options, filters, kernel_size})) {}

ConvLSTM3D ConvLSTM3D::from_config(const io::Json& config) {
  const auto arguments = read_layer<ConvLSTM3D>(config);
  return ConvLSTM3D(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
