#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/shape.h>

namespace rhyton::layers {

class LayerImpl;

/// The requirements of a layer for its single input (Keras's `InputSpec`).
struct InputSpec {
  std::optional<int> ndim = std::nullopt;
  std::optional<int> min_ndim = std::nullopt;
  /// Axes, negative ones counted from the end, and their lengths.
  std::vector<std::pair<int, std::int64_t>> axes = {};
};

/// Throws ValueError in Keras's words, naming the layer, unless there is exactly one input and it satisfies the spec.
/// An unknown length fits any.
void check_input(const LayerImpl& layer, const std::vector<Shape>& inputs, const InputSpec& spec = {});

}  // namespace rhyton::layers
