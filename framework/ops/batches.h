#pragma once

#include <cstdint>

#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

/// A batch from arrays that are whole on a device: the `count` samples of `source` [N, …] with the indices
/// permutation[first], permutation[first + 1], …, as [count, …]. `permutation` is int64 [N] and `first` an int64
/// scalar: both are read when the op runs, so that a compiled step finds the next batch itself. All dtypes, no
/// gradient. Indices outside of the permutation, or of the source, throw InvalidArgumentError.
Tensor gather_samples(const Tensor& source, const Tensor& permutation, const Tensor& first, std::int64_t count);

/// Inputs: source, permutation, first.
class GatherSamplesOp final : public Op {
 public:
  explicit GatherSamplesOp(std::int64_t count) : count(count) {}
  std::string_view name() const override { return "GatherSamples"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;

  const std::int64_t count;
};

}  // namespace ops
}  // namespace rhyton
