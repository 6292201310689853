#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

// How often categories occur: sums of one-hot vectors without the vectors themselves, for bags of words.

namespace rhyton {
inline namespace ops {

/// What category_counts gives for a category.
enum class CategoryCounting {
  /// How often it occurs, or the sum of the weights where it does.
  occurrences,
  /// 1 if it occurs, else 0.
  presence,
};

/// What it does with negative categories.
enum class NegativeCategories {
  /// They count for nothing, like those from `depth` on.
  ignored,
  /// InvalidArgumentError in TensorFlow's words.
  refused,
};

/// The counts of the categories 0, 1, … below `depth` along the last axis of `categories` [..., N], of int32, int64 or
/// uint8: [..., depth]. Categories from `depth` on are not counted. (tf.math.bincount with axis=-1, minlength and
/// maxlength)
Tensor category_counts(const Tensor& categories, std::int64_t depth, DType dtype = DType::float32,
                       CategoryCounting counting = CategoryCounting::occurrences,
                       NegativeCategories negative = NegativeCategories::refused);
/// The sums of `weights`, which has the shape of `categories`, by category: [..., depth] in the dtype of the weights,
/// which get gradients. Throws InvalidArgumentError in TensorFlow's words for weights of another shape.
Tensor weighted_category_counts(const Tensor& categories, const Tensor& weights, std::int64_t depth,
                                NegativeCategories negative = NegativeCategories::refused);

/// Inputs: categories, and where they have any, weights.
class CategoryCountsOp final : public Op {
 public:
  CategoryCountsOp(std::int64_t depth, DType dtype, CategoryCounting counting, NegativeCategories negative)
      : depth(depth), dtype(dtype), counting(counting), negative(negative) {}
  std::string_view name() const override { return "DenseBincount"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;
  DType kernel_dtype(std::span<const TensorSpec>) const override { return dtype; }

  const std::int64_t depth;
  const DType dtype;
  const CategoryCounting counting;
  const NegativeCategories negative;
};

}  // namespace ops
}  // namespace rhyton
