#include <rhyton/layers/preprocessing/category_output.h>

#include <rhyton/framework/ops/category_counts.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::layers {
namespace {

/// Truncates numbers, as Keras does.
Tensor as_indices(const Tensor& x) {
  const bool are_indices = x.dtype() == DType::int32 || x.dtype() == DType::int64 || x.dtype() == DType::uint8;
  return are_indices ? x : cast(x, DType::int64);
}

Tensor one_hot_categories(const Tensor& categories, std::int64_t depth, DType dtype) {
  const Shape& shape = categories.shape();
  const bool is_column = shape.rank() > 1 && shape[shape.rank() - 1] == 1;
  return one_hot(is_column ? reshape(categories, shape.slice(0, shape.rank() - 1)) : categories, depth, -1, dtype);
}

}  // namespace

Tensor encode_categories(const Tensor& given, const std::string& output_mode, std::int64_t depth, DType dtype,
                         const Tensor& count_weights) {
  if (output_mode == "int") return cast(given, dtype);
  Tensor categories = as_indices(given.rank() == 0 ? reshape(given, {1}) : given);
  if (output_mode == "one_hot") return one_hot_categories(categories, depth, dtype);
  // Keras sums one-hot vectors along axis 1 where TensorFlow's bincount does not take the rank.
  const bool is_bincount = categories.rank() <= 2;
  if (!is_bincount) categories = moveaxis(categories, 1, -1);
  const NegativeCategories negative = is_bincount ? NegativeCategories::refused : NegativeCategories::ignored;
  if (output_mode == "count" && !count_weights.is_empty() && !(is_bincount && count_weights.size() == 0)) {
    const Tensor weights = is_bincount ? count_weights : moveaxis(broadcast_to(count_weights, given.shape()), 1, -1);
    return weighted_category_counts(categories, weights, depth, negative);
  }
  const CategoryCounting counting = output_mode == "count" ? CategoryCounting::occurrences : CategoryCounting::presence;
  const DType counted = dtype == DType::bool_ ? DType::uint8 : dtype;
  return cast(category_counts(categories, depth, counted, counting, negative), dtype);
}

}  // namespace rhyton::layers
