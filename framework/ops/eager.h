#pragma once

#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/listeners.h>

namespace rhyton {

/// The interpreter at the bottom of every stack: looks up the kernel, allocates the outputs and computes them.
Interpreter& eager_interpreter();

/// Calls an op with one output whose inputs the caller gives up: run eagerly without observers, an elementwise op
/// writes its result over an input without other owners.
Tensor apply_consuming(const OpPtr& op, std::span<Tensor> inputs);

/// How an op that runs alone is divided among threads: into how many pieces, along which axis, and which inputs are
/// divided along it, as all outputs are. A function of the shapes alone, so that results never depend on threads.
struct OpSplit {
  std::int64_t pieces = 1;
  /// The first axis, that of the samples; on one sample, the first axis that is longer than 1 for ops that
  /// `can_be_divided_along_any_axis`.
  int axis = 0;
  /// The length of that axis.
  std::int64_t samples = 1;
  std::vector<bool> cut_inputs;
  /// The kernel gets whole tensors and the number of the piece to compute.
  bool by_kernel = false;
};

/// Whether the kernels of the op know nothing of the first axis or of the number of the first sample: elementwise ops
/// and concatenations.
bool can_be_divided_along_any_axis(const Op& op);

/// The split for that op; one piece where it is small or its batch rule does not allow more.
OpSplit split_op(const Op& op, const Kernel& kernel, std::span<const TensorSpec> inputs,
                 std::span<const TensorSpec> outputs);

}  // namespace rhyton
