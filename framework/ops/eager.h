#pragma once

#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/listeners.h>

namespace rhyton {

/// The interpreter at the bottom of every stack: looks the kernel up, allocates the outputs and computes them.
Interpreter& eager_interpreter();

/// Calls an op with one output whose inputs the caller gives up: run eagerly, with nobody watching, an elementwise op
/// writes its result over an input that nobody else holds.
Tensor apply_consuming(const OpPtr& op, std::span<Tensor> inputs);

/// How the samples of an op's inputs may be dealt to the threads when it is run by itself: which inputs are cut along
/// their first axis, and into how many pieces. A function of the shapes alone, so that results never depend on threads.
struct OpSplit {
  std::int64_t pieces = 1;
  std::int64_t samples = 1;
  std::vector<bool> cut_inputs;
  /// The kernel is given whole tensors and told which part is wanted.
  bool by_kernel = false;
};

/// The split for that op; one piece where it is small or its batch rule does not allow more.
OpSplit split_op(const Op& op, const Kernel& kernel, std::span<const TensorSpec> inputs,
                 std::span<const TensorSpec> outputs);

}  // namespace rhyton
