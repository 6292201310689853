#include <rhyton/framework/ops/control_flow_op.h>

#include <cstddef>
#include <cstdint>

namespace rhyton {
namespace {

/// The number of rows of the batch; -1 if no input carries it on its first axis.
std::int64_t rows_of_batch(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (batch_axes[i] == 0) return inputs[i].shape[0];
  }
  return -1;
}

}  // namespace

BatchRule ControlFlowOp::batch_rule(std::span<const TensorSpec>, std::span<const int>) const {
  return BatchRule::mixes();
}

// An output with as many rows as the batch is sliced like it, so that the ops after it are.
BatchRule ControlFlowOp::output_batch_rule(std::size_t output, std::span<const TensorSpec> inputs,
                                           std::span<const int> batch_axes) const {
  const std::int64_t rows = rows_of_batch(inputs, batch_axes);
  const Shape shape = infer(inputs)[output].shape;
  return BatchRule::mixes(shape.rank() > 0 && shape[0] == rows ? 0 : -1);
}

void run_control_flow(const KernelArguments& arguments) {
  arguments.attributes<ControlFlowOp>().run(arguments.inputs, arguments.outputs);
}

}  // namespace rhyton
