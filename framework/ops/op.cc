#include <rhyton/framework/ops/op.h>

#include <algorithm>

#include <rhyton/framework/ops/listeners.h>

namespace rhyton {

std::vector<Tensor> Op::gradient(const GradientArguments&) const {
  throw NotImplementedError("Op " + std::string(name()) + " has no gradient defined.");
}

BatchRule Op::batch_rule(std::span<const TensorSpec>, std::span<const int>) const { return BatchRule::mixes(); }

BatchRule Op::output_batch_rule(std::size_t, std::span<const TensorSpec> inputs,
                                std::span<const int> batch_axes) const {
  return batch_rule(inputs, batch_axes);
}

bool Op::may_overwrite(std::size_t, std::size_t output) const { return output == 0 && is_elementwise(); }

double Op::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const {
  std::int64_t maximum = 0;
  for (const TensorSpec& spec : inputs) maximum = std::max(maximum, spec.shape.size());
  for (const TensorSpec& spec : outputs) maximum = std::max(maximum, spec.shape.size());
  return static_cast<double>(maximum);
}

DType Op::kernel_dtype(std::span<const TensorSpec> inputs) const {
  return inputs.empty() ? DType::float32 : inputs.front().dtype;
}

Tensor apply_single(const OpPtr& op, std::span<const Tensor> inputs) {
  std::vector<Tensor> outputs = apply(op, inputs);
  return std::move(outputs.front());
}

}  // namespace rhyton
