#include <rhyton/models/training/lora_watch.h>

#include <algorithm>
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
  const auto is_enabled = [](const auto& layer) { return layer->lora_enabled(); };
  if (is_watching_ && std::none_of(without_lora_.begin(), without_lora_.end(), is_enabled)) return false;
  Layers layers = is_watching_ ? std::move(without_lora_) : adaptable_layers(model);
  // Before the model is built it has not all of its layers.
  is_watching_ = model.is_built();
  const bool has_changed = std::erase_if(layers, is_enabled) > 0;
  without_lora_ = std::move(layers);
  return has_changed;
}

void LoraWatch::reset() {
  const std::scoped_lock lock(mutex_);
  is_watching_ = false;
  without_lora_.clear();
}

}  // namespace rhyton::training
