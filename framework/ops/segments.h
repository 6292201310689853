#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <rhyton/framework/ops/op.h>

// Reductions of keras.ops over segments: element i of `data` [N, …] belongs to segment `segment_ids`[i], of [N] in
// int32 or int64; with a negative one it belongs to none. The result has shape [num_segments, …]. Without
// `num_segments` it is one more than the largest id, which is read: inside of a graph it must be given.
//
// All throw ValueError for ids of another shape, and InvalidArgumentError for an id beyond `num_segments` and for bool.
// With `sorted` the ids must not decrease, `num_segments` must not be given, and empty segments of max and min are 0,
// as in Keras on TensorFlow.

namespace rhyton {
inline namespace ops {

/// The sums; 0 for an empty segment. (keras.ops.segment_sum)
Tensor segment_sum(const Tensor& data, const Tensor& segment_ids,
                   std::optional<std::int64_t> num_segments = std::nullopt, bool sorted = false);
/// The largest elements; the lowest number of the dtype for an empty segment. Elements that tie share the gradient
/// equally. (keras.ops.segment_max)
Tensor segment_max(const Tensor& data, const Tensor& segment_ids,
                   std::optional<std::int64_t> num_segments = std::nullopt, bool sorted = false);
/// The smallest elements; the largest number of the dtype for an empty segment. (keras.ops.segment_min)
Tensor segment_min(const Tensor& data, const Tensor& segment_ids,
                   std::optional<std::int64_t> num_segments = std::nullopt, bool sorted = false);
/// The products; 1 for an empty segment. (keras.ops.segment_prod)
Tensor segment_prod(const Tensor& data, const Tensor& segment_ids,
                    std::optional<std::int64_t> num_segments = std::nullopt, bool sorted = false);

/// Inputs: data [N, …] and ids [N].
class SegmentReduceOp final : public Op {
 public:
  enum class Kind { sum, max, min, prod };

  SegmentReduceOp(Kind kind, std::int64_t segments) : kind(kind), segments(segments) {}
  std::string_view name() const override;
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const Kind kind;
  const std::int64_t segments;
};

}  // namespace ops
}  // namespace rhyton
