#pragma once

#include <rhyton/layers/layer.h>

namespace rhyton::models {

/// How deep models may lie within each other: building, calling and saving them go down level by level.
constexpr int deepest_nesting = 256;

/// Throws ValueError where `layer`, put into `model`, would make models nest deeper than that, or the model contain
/// itself.
void require_nesting(const layers::LayerImpl& model, const layers::LayerImpl& layer);

}  // namespace rhyton::models
