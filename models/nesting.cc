#include <rhyton/models/nesting.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton::models {
namespace {

using layers::LayerImpl;

class Nesting {
 public:
  explicit Nesting(const LayerImpl& model) : model_(model) {}

  /// The number of levels of layers from `layer` down. `level` is the level of `layer` in the model.
  int levels_of(const LayerImpl& layer, int level) {
    if (&layer == &model_) throw ValueError("The model '" + model_.name() + "' cannot contain itself.");
    if (level > deepest_nesting) {
      throw ValueError("The model '" + model_.name() + "' cannot take a layer: models nest deeper than " +
                       std::to_string(deepest_nesting) + " levels.");
    }
    const std::vector<layers::Layer> inner = layer.sublayers();
    if (inner.empty()) return 1;
    const auto known = levels_.find(&layer);
    if (known != levels_.end() && level + known->second - 1 <= deepest_nesting) return known->second;
    int levels = 1;
    for (const layers::Layer& sublayer : inner) {
      levels = std::max(levels, 1 + levels_of(*sublayer.impl(), level + 1));
    }
    return levels_[&layer] = levels;
  }

 private:
  const LayerImpl& model_;
  std::unordered_map<const LayerImpl*, int> levels_;
};

}  // namespace

void require_nesting(const LayerImpl& model, const LayerImpl& layer) {
  // The model is level 1.
  Nesting(model).levels_of(layer, 2);
}

}  // namespace rhyton::models
