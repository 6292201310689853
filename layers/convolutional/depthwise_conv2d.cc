#include <rhyton/layers/convolutional/depthwise_conv2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

DepthwiseConv2D::DepthwiseConv2D(Size2 kernel_size, const DepthwiseConv2DOptions& options)
    : Layer(make_depthwise_convolution(Arguments{options, kernel_size})) {}

DepthwiseConv2D DepthwiseConv2D::from_config(const io::Json& config) {
  const auto arguments = read_layer<DepthwiseConv2D>(config);
  return DepthwiseConv2D(arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
