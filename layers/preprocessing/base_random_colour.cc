#include <rhyton/layers/preprocessing/base_random_colour.h>

#include <utility>

namespace rhyton::layers {

RandomColourImpl::RandomColourImpl(std::string class_name, const LayerOptions& options, const std::string& data_format,
                                   const std::optional<std::int64_t>& seed, Integers integers)
    : RandomImageImpl(std::move(class_name), options, data_format, seed), integers_(integers) {}

std::vector<Tensor> RandomColourImpl::call(const std::vector<Tensor>& inputs, bool training) {
  if (!training) return inputs;
  return {augmented_input(integers_ == Integers::kept ? inputs[0] : to_compute_dtype(inputs[0]))};
}

int RandomColourImpl::channel_axis(const Shape& images) const {
  return images.rank() - (data_format() == "channels_first" ? 3 : 1);
}

}  // namespace rhyton::layers
