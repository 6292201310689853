#include <rhyton/layers/convolutional/separable_conv2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

SeparableConv2D::SeparableConv2D(std::int64_t filters, Size2 kernel_size, const SeparableConv2DOptions& options)
    : Layer(make_separable_convolution(Arguments{options, filters, kernel_size})) {}

SeparableConv2D SeparableConv2D::from_config(const io::Json& config) {
  const auto arguments = read_layer<SeparableConv2D>(config);
  return SeparableConv2D(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
