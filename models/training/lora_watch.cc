#include <rhyton/models/training/lora_watch.h>

#include <unordered_set>

namespace rhyton::training {
namespace {

using Layers = std::vector<std::shared_ptr<const layers::LoraLayerImpl>>;

/// The layers with and without LoRA among the layer and its sublayers at any depth.
Layers adaptable_layers(const layers::Layer& root) {
  Layers found;
  std::unordered_set<const void*> seen;
  std::vector<layers::Layer> open = {root};
  while (!open.empty()) {
    const layers::Layer layer = open.back();
    open.pop_back();
    if (!seen.insert(layer.impl().get()).second) continue;
    if (auto lora = std::dynamic_pointer_cast<const layers::LoraLayerImpl>(layer.impl())) {
      found.push_back(std::move(lora));
    }
    for (const layers::Layer& inner : layer.impl()->sublayers()) open.push_back(inner);
  }
  return found;
}

}  // namespace

bool LoraWatch::has_changed(const layers::Layer& model) {
  const std::scoped_lock lock(mutex_);
  if (!is_watching_) {
    layers_.clear();
    for (const auto& layer : adaptable_layers(model)) layers_.push_back({.layer = layer});
    // Before the model is built it has not all of its layers.
    is_watching_ = model.is_built();
  }
  bool has_changed = false;
  for (Watched& watched : layers_) {
    const std::int64_t adaptations = watched.layer->adaptations();
    has_changed = has_changed || adaptations != watched.adaptations;
    watched.adaptations = adaptations;
  }
  return has_changed;
}

void LoraWatch::reset() {
  const std::scoped_lock lock(mutex_);
  is_watching_ = false;
  layers_.clear();
}

}  // namespace rhyton::training
