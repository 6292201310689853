#include <rhyton/framework/ops/scaled_conv.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/broadcasting.h>

namespace rhyton {
inline namespace ops {

std::vector<TensorSpec> ScaledConv2DOp::infer(std::span<const TensorSpec> inputs) const {
  std::vector<TensorSpec> outputs = FusedConv2DOp(activation_, window_, algorithm_).infer(inputs.first(2));
  for (const TensorSpec& row : inputs.subspan(2)) {
    if (row.shape == Shape{outputs[0].shape[3]} && row.dtype == outputs[0].dtype) continue;
    throw InvalidArgumentError("Op ScaledConv2D expected a factor and an offset for each filter: " +
                               bracketed(row.shape) + " vs. " + bracketed(outputs[0].shape));
  }
  return outputs;
}

BatchRule ScaledConv2DOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const bool has_batch = std::ranges::any_of(batch_axes.subspan(2), [](int axis) { return axis != -1; });
  if (has_batch) return BatchRule::mixes(batch_axes[0] == 0 ? 0 : -1);
  return Conv2DOp(window_).batch_rule(inputs.first(2), batch_axes.first(2));
}

double ScaledConv2DOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const {
  return Conv2DOp(window_).flops(inputs.first(2), outputs);
}

std::string ScaledConv2DOp::attributes() const { return FusedConv2DOp(activation_, window_, algorithm_).attributes(); }

}  // namespace ops
}  // namespace rhyton
