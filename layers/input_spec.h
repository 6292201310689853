#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/shape.h>

namespace rhyton::layers {

class LayerImpl;

/// What a layer asks of its one input (Keras's `InputSpec`).
struct InputSpec {
  std::optional<int> ndim = std::nullopt;
  std::optional<int> min_ndim = std::nullopt;
  /// Axes, which may count from the end, and their lengths.
  std::vector<std::pair<int, std::int64_t>> axes = {};
};

/// Throws ValueError in Keras's words, naming the layer, when there is not one input or it is not of that kind. An
/// unknown length fits any.
void check_input(const LayerImpl& layer, const std::vector<Shape>& inputs, const InputSpec& spec = {});

}  // namespace rhyton::layers
