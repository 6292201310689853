#include <rhyton/layers/convolutional/conv1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Conv1D::Conv1D(std::int64_t filters, Size1 kernel_size, const Conv1DOptions& options)
    : LoraLayer(make_convolution(Arguments{options, filters, kernel_size})) {}

Conv1D Conv1D::from_config(const io::Json& config) {
  const auto arguments = read_layer<Conv1D>(config);
  return Conv1D(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
