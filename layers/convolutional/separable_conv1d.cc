#include <rhyton/layers/convolutional/separable_conv1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

SeparableConv1D::SeparableConv1D(std::int64_t filters, Size1 kernel_size, const SeparableConv1DOptions& options)
    : Layer(make_separable_convolution(Arguments{options, filters, kernel_size})) {}

SeparableConv1D SeparableConv1D::from_config(const io::Json& config) {
  const auto arguments = read_layer<SeparableConv1D>(config);
  return SeparableConv1D(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
