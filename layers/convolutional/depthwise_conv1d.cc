#include <rhyton/layers/convolutional/depthwise_conv1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

DepthwiseConv1D::DepthwiseConv1D(Size1 kernel_size, const DepthwiseConv1DOptions& options)
    : Layer(make_depthwise_convolution(Arguments{options, kernel_size})) {}

DepthwiseConv1D DepthwiseConv1D::from_config(const io::Json& config) {
  const auto arguments = read_layer<DepthwiseConv1D>(config);
  return DepthwiseConv1D(arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
