#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/shape.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::saving {

/// The variables of an optimizer in a file, in their order.
struct SavedState {
  /// "adam/iteration", "Adam/dense/kernel/m:0"; empty if the file has none.
  std::vector<std::string> names;
  std::vector<Shape> shapes;
};

/// For each of `optimizer.variables()`, the index of its saved value; nullopt if the file has none, as for the learning
/// rate, which Keras 2 stores in the configuration. Supports three orders:
///
/// * Keras 3: iteration, learning rate, averages, slots;
/// * Keras 2 since TensorFlow 2.11: iteration, averages, slots, with one for SGD even without momentum;
/// * older and "legacy" optimizers: iteration, then all slots of one kind after those of another.
///
/// Empty if the state is that of another optimizer, or of other variables.
std::optional<std::vector<std::optional<std::size_t>>> match_state(const optimizers::Optimizer& optimizer,
                                                                   const SavedState& saved);

}  // namespace rhyton::saving
