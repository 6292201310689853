#include <rhyton/layers/pooling/base_pooling.h>

#include <rhyton/layers/input_spec.h>

namespace rhyton::layers {

void Pooling2DImpl::check_inputs(const std::vector<Shape>& inputs) const {
  check_input(*this, inputs, {.ndim = 4});
  const Shape& images = inputs[0];
  if (!is_beyond_image(images, layout_, pool_size_.values(), padding_)) return;
  std::string shape;
  for (const std::int64_t length : images) {
    shape += (shape.empty() ? "" : " ") + (length < 0 ? "None" : std::to_string(length));
  }
  throw ValueError("Computed output size would be zero or negative. Received: `inputs.shape=[" + shape +
                   "]`, `pool_size=[" + std::to_string(pool_size_.height()) + " " + std::to_string(pool_size_.width()) +
                   "]`, `strides=" + strides_.to_string() + "`, `padding=" + std::string(name_of(padding_)) + "`.");
}

std::vector<Tensor> Pooling2DImpl::call(const std::vector<Tensor>& inputs, bool) {
  const Tensor pooled = pool_(layout_.to_channels_last(inputs[0]),
                              {.pool_size = pool_size_.values(), .strides = strides_.values(), .padding = padding_});
  return {layout_.from_channels_last(pooled)};
}

io::Json Pooling2DImpl::get_config() const {
  return extended(LayerImpl::get_config(), io::Json::object({{"pool_size", pool_size_.to_config()},
                                                             {"padding", name_of(padding_)},
                                                             {"strides", strides_.to_config()},
                                                             {"data_format", layout_.to_string()}}));
}

}  // namespace rhyton::layers
