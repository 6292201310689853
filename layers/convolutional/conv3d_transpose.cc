#include <rhyton/layers/convolutional/conv3d_transpose.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Conv3DTranspose::Conv3DTranspose(std::int64_t filters, Size3 kernel_size, const Conv3DTransposeOptions& options)
    : Layer(make_transposed_convolution(Arguments{options, filters, kernel_size})) {}

Conv3DTranspose Conv3DTranspose::from_config(const io::Json& config) {
  const auto arguments = read_layer<Conv3DTranspose>(config);
  return Conv3DTranspose(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
