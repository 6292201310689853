#pragma once

#include <span>
#include <vector>

#include <rhyton/framework/ops/op.h>

namespace rhyton {

/// One call of an op that can be differentiated.
struct RecordedCall {
  OpPtr op;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  /// The NameScope of the call; that of its gradient is "gradients/" and this.
  std::string scope = {};
  /// Where the program wanted it to run (`explicit_device`), and so its gradient runs; null where it said nothing.
  LogicalDevice* device = nullptr;
};

/// The gradients of Σ sum(targets[i] * target_gradients[i]) with respect to `sources`, by walking `calls` backward and
/// calling each op's `gradient`. Works on concrete tensors (the gradients are computed) and on traced ones (they are
/// added to the graph). `calls` are in the order in which they were made.
///
/// The gradient of a call runs on the call's device. What several calls contribute to a tensor's gradient is added up
/// where the tensor was computed; for what no call computed, such as a variable, where it was first read.
///
/// Returns one tensor per source, empty where no target depends on it.
std::vector<Tensor> backpropagate(std::span<const RecordedCall> calls, std::span<const Tensor> targets,
                                  std::span<const Tensor> target_gradients, std::span<const Tensor> sources);

}  // namespace rhyton
