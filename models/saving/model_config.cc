#include <rhyton/models/saving/model_config.h>

#include <map>
#include <vector>

#include <rhyton/framework/warning.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/saving/compile_config.h>
#include <rhyton/models/saving/unknown_classes.h>

namespace rhyton::saving {
namespace {

using layers::Layer;
using layers::LayerImpl;

/// The layers that are part of several models and would be written several times, numbered in the order in which they
/// are found.
class SharedLayers {
 public:
  explicit SharedLayers(const Layer& model) { visit(model); }
  std::map<const LayerImpl*, std::int64_t> ids() const { return ids_; }

 private:
  void visit(const Layer& layer) {
    const LayerImpl* const impl = layer.impl().get();
    if (++visits_[impl] > 1) {
      ids_.emplace(impl, static_cast<std::int64_t>(ids_.size()));
      return;
    }
    if (dynamic_cast<const models::ModelImpl*>(impl) == nullptr) return;
    for (const Layer& part : impl->sublayers()) visit(part);
  }

  std::map<const LayerImpl*, int> visits_;
  std::map<const LayerImpl*, std::int64_t> ids_;
};

}  // namespace

io::Json serialize_model(const models::Model& model) {
  const layers::SharedLayersScope shared(SharedLayers(model).ids());
  io::Json object = layers::serialize(model);
  if (model.is_compiled()) {
    object["compile_config"] = serialize_compile_config(model.model_impl()->trainer().compile_options());
  }
  return object;
}

models::Model deserialize_model(const io::Json& object, bool compile) {
  models::register_model_classes();
  const io::Json* const compile_config = compile && object.is_object() ? object.find("compile_config") : nullptr;
  require_known_classes(object, compile_config == nullptr ? io::Json() : *compile_config);
  models::Model model = models::Model::from_layer(layers::deserialize(object));
  if (compile_config == nullptr || !compile_config->is_object() || compile_config->empty()) return model;
  if (!model.model_impl()->compiles_from_config()) {
    warn(
        "`compile()` was not called as part of model loading because the model's `compile()` method is custom. Call "
        "`compile()` after loading.");
    return model;
  }
  model.compile(deserialize_compile_config(*compile_config));
  build_optimizer(model);
  return model;
}

void build_optimizer(const models::Model& model) {
  if (model.is_built() && model.is_compiled()) model.model_impl()->trainer().build_optimizer();
}

}  // namespace rhyton::saving
