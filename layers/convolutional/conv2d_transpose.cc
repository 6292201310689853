#include <rhyton/layers/convolutional/conv2d_transpose.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Conv2DTranspose::Conv2DTranspose(std::int64_t filters, Size2 kernel_size, const Conv2DTransposeOptions& options)
    : Layer(make_transposed_convolution(Arguments{options, filters, kernel_size})) {}

Conv2DTranspose Conv2DTranspose::from_config(const io::Json& config) {
  const auto arguments = read_layer<Conv2DTranspose>(config);
  return Conv2DTranspose(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
