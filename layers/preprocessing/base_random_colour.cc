#include <rhyton/layers/preprocessing/base_random_colour.h>

#include <utility>

namespace rhyton::layers {

std::vector<Tensor> RandomColourImpl::call(const std::vector<Tensor>& inputs, bool training) {
  return training ? RandomImageImpl::call(inputs, true) : inputs;
}

Tensor RandomColourImpl::prepared(const Tensor& images) const {
  return integers_ == Integers::kept ? images : to_compute_dtype(images);
}

int RandomColourImpl::channel_axis(const Shape& images) const {
  return images.rank() - (data_format() == "channels_first" ? 3 : 1);
}

}  // namespace rhyton::layers
