#pragma once

#include <cstdint>

#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

/// A batch out of arrays that lie whole on a device: the `count` samples of `source` [N, …] that
/// permutation[first], permutation[first + 1], … name, as [count, …]. `permutation` is int64 [N] and `first` an int64
/// scalar: both are read when the op runs, so that a compiled step finds the next batch by itself. All dtypes, no
/// gradient. What lies outside of the permutation, or of the source, throws InvalidArgumentError.
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
