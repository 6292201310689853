#include <rhyton/layers/convolutional/conv1d_transpose.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Conv1DTranspose::Conv1DTranspose(std::int64_t filters, Size1 kernel_size, const Conv1DTransposeOptions& options)
    : Layer(make_transposed_convolution(Arguments{options, filters, kernel_size})) {}

Conv1DTranspose Conv1DTranspose::from_config(const io::Json& config) {
  const auto arguments = read_layer<Conv1DTranspose>(config);
  return Conv1DTranspose(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
