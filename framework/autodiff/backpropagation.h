#pragma once

#include <span>
#include <vector>

#include <rhyton/framework/ops/indexed_slices.h>
#include <rhyton/framework/ops/op.h>

namespace rhyton {

/// One call of an op that can be differentiated.
struct RecordedCall {
  OpPtr op;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  /// The NameScope of the call; the gradient's scope is "gradients/" followed by this one.
  std::string scope = {};
  /// The device that the program named for the call (`explicit_device`), and so for its gradient; null where it named
  /// none.
  LogicalDevice* device = nullptr;
};

/// The gradients of Σ sum(targets[i] * target_gradients[i]) with respect to `sources`: iterates over `calls` backward
/// and calls each op's `gradient`. Works on concrete tensors (the gradients are computed) and on traced ones (they are
/// added to the graph). `calls` are in the order in which they were made.
///
/// The gradient of a call runs on the call's device. The contributions of several calls to a tensor's gradient are
/// added up on the device that computed the tensor; for a tensor that no call computed, such as a variable, on the
/// device that first read it.
///
/// Returns one tensor per source, empty where no target depends on it. `slices` gets for each source the slices that
/// its gradient is the sum of: none unless no call computed the source and its gradient comes from lookups of its rows
/// alone (GatherOp along the first axis).
std::vector<Tensor> backpropagate(std::span<const RecordedCall> calls, std::span<const Tensor> targets,
                                  std::span<const Tensor> target_gradients, std::span<const Tensor> sources,
                                  std::vector<std::vector<IndexedSlices>>* slices = nullptr);

}  // namespace rhyton
