#include <rhyton/layers/convolutional/conv3d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Conv3D::Conv3D(std::int64_t filters, Size3 kernel_size, const Conv3DOptions& options)
    : LoraLayer(make_convolution(Arguments{options, filters, kernel_size})) {}

Conv3D Conv3D::from_config(const io::Json& config) {
  const auto arguments = read_layer<Conv3D>(config);
  return Conv3D(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
