#include <rhyton/layers/convolutional/conv2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Conv2D::Conv2D(std::int64_t filters, Size2 kernel_size, const Conv2DOptions& options)
    : LoraLayer(make_convolution(Arguments{options, filters, kernel_size})) {}

Conv2D Conv2D::from_config(const io::Json& config) {
  const auto arguments = read_layer<Conv2D>(config);
  return Conv2D(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
