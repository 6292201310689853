#include <rhyton/layers/core/wrapper.h>

#include <rhyton/layers/serialization.h>

namespace rhyton {

io::Json ConfigForm<layers::Layer>::write(const layers::Layer& layer) {
  return layer.is_empty() ? io::Json() : layers::serialize(layer);
}

layers::Layer ConfigForm<layers::Layer>::read(const char* /*key*/, const io::Json& json) {
  return layers::deserialize(json);
}

}  // namespace rhyton

namespace rhyton::layers {

WrapperImpl::WrapperImpl(const Layer& layer, const LayerOptions& options) : LayerImpl(options), layer_(layer) {
  if (layer.is_empty()) {
    throw ValueError(
        "Layer None supplied to Wrapper isn't a supported layer type. Please ensure wrapped layer is a valid Keras "
        "layer.");
  }
  track("layer", layer);
}

void WrapperImpl::build(const std::vector<Shape>& input_shapes) {
  if (layer_.is_built()) return;
  layer_.impl()->check_inputs(input_shapes);
  layer_.impl()->ensure_built(input_shapes);
}

io::Json WrapperImpl::get_config() const {
  io::Json config = LayerImpl::get_config();
  config["layer"] = serialize(layer_);
  return config;
}

}  // namespace rhyton::layers
