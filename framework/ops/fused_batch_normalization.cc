#include <rhyton/framework/ops/fused_batch_normalization.h>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/broadcasting.h>

namespace rhyton {
inline namespace ops {
namespace {

/// x, mean, variance, gamma and beta, optionally followed by a side input.
constexpr std::size_t normalization_inputs = 5;

double elements_of(std::span<const TensorSpec> inputs) { return static_cast<double>(inputs[0].shape.size()); }

}  // namespace

std::vector<TensorSpec> FusedBatchNormalizationOp::infer(std::span<const TensorSpec> inputs) const {
  const TensorSpec& x = inputs[0];
  for (const TensorSpec& side_input : inputs.subspan(normalization_inputs)) {
    if (side_input == x) continue;
    throw InvalidArgumentError("Expected a side input " + bracketed(x.shape) + " of " + std::string(name_of(x.dtype)) +
                               ", but got " + bracketed(side_input.shape) + " of " +
                               std::string(name_of(side_input.dtype)) + " [Op:FusedBatchNormalization]");
  }
  return BatchNormalizationOp(epsilon).infer(inputs.first(normalization_inputs));
}

double FusedBatchNormalizationOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  const auto following =
      static_cast<double>(inputs.size() - normalization_inputs) + (activation == Epilogue::none ? 0.0 : 1.0);
  return (2.0 + following) * elements_of(inputs);
}

std::string FusedBatchNormalizationOp::attributes() const {
  return "activation=" + std::string(name_of(activation)) + ", " + attribute("epsilon", epsilon);
}

std::vector<TensorSpec> FusedBatchNormalizationSumsOp::infer(std::span<const TensorSpec> inputs) const {
  BatchNormalizationOp(epsilon).infer(inputs.subspan(1));
  return BatchNormalizationSumsOp().infer(inputs.first(3));
}

double FusedBatchNormalizationSumsOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return 7.0 * elements_of(inputs);
}

std::string FusedBatchNormalizationSumsOp::attributes() const { return attribute("epsilon", epsilon); }

std::vector<TensorSpec> FusedBatchNormalizationInputGradientOp::infer(std::span<const TensorSpec> inputs) const {
  const std::vector<TensorSpec> sums = FusedBatchNormalizationSumsOp(epsilon).infer(inputs.first(6));
  // The sums are per channel like beta.
  for (const TensorSpec& sum : inputs.subspan(6)) {
    if (sum == sums[0]) continue;
    throw InvalidArgumentError("Expected a sum for each channel of " + bracketed(inputs[1].shape) + ", but got " +
                               bracketed(sum.shape) + " [Op:FusedBatchNormalizationInputGradient]");
  }
  return {inputs[1]};
}

double FusedBatchNormalizationInputGradientOp::flops(std::span<const TensorSpec> inputs,
                                                     std::span<const TensorSpec>) const {
  return 7.0 * elements_of(inputs);
}

std::string FusedBatchNormalizationInputGradientOp::attributes() const {
  return attribute("epsilon", epsilon) + ", " + attribute("count", count);
}

}  // namespace ops
}  // namespace rhyton
