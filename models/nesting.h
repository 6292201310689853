#pragma once

#include <rhyton/layers/layer.h>

namespace rhyton::models {

/// The maximum nesting depth of models: building, calling and saving them recurse level by level.
constexpr int deepest_nesting = 256;

/// Throws ValueError if adding `layer` to `model` would nest models deeper than that, or make the model contain itself.
void require_nesting(const layers::LayerImpl& model, const layers::LayerImpl& layer);

}  // namespace rhyton::models
