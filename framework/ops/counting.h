#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>

// Functions of keras.ops that count elements or find different ones. The shapes of all results but those of `histogram`
// depend on values, which are known when a function is executed eagerly: in a compiled function they throw ValueError.

namespace rhyton {
inline namespace ops {

/// How often each number 0, 1, … up to the largest one, and at least `minlength` of them, is in the last axis of x [N]
/// or [B, N], or the sums of the weights, which have x's shape, where it is. int32, with weights the dtype of both; the
/// gradient is that of the weights. Fractions are truncated. Throws InvalidArgumentError for negative numbers and other
/// ranks. (keras.ops.bincount)
Tensor bincount(const Tensor& x, const Tensor& weights = {}, std::int64_t minlength = 0);

/// How many elements of the vector x are in each of `bins` intervals of one width between the limits of `range`, by
/// default the smallest and the largest element, and the limits of the intervals [bins + 1], both in x's dtype. An
/// interval contains its lower limit, the last one both. No gradient. Throws ValueError for another rank, a negative
/// number of bins and limits in the wrong order. (keras.ops.histogram)
std::pair<Tensor, Tensor> histogram(const Tensor& x, std::int64_t bins = 10,
                                    const std::optional<std::pair<double, double>>& range = std::nullopt);

/// The places of the elements that are not 0, in their order: a vector of int32 for each axis. (keras.ops.nonzero)
std::vector<Tensor> nonzero(const Tensor& x);

/// Fields in the order of `keras.ops.unique`. What its other arguments ask for is always returned.
struct UniqueOptions {
  ByName by_name = ByName();
  /// In ascending order, else in that of their first occurrence.
  bool sorted = true;
  /// The axis whose sub-tensors are compared, by default the elements of the flat x are. Sub-tensors are ordered by
  /// their first different element.
  std::optional<int> axis = std::nullopt;
  /// The number of values that are returned: more are cut off, missing ones are filled.
  std::optional<std::int64_t> size = std::nullopt;
  /// The number that missing values are filled with.
  Scalar fill_value = 0;
};

/// The result of `unique`.
struct Unique {
  /// Along the axis; by default a vector. They have the gradient of the elements that they were taken from.
  Tensor values;
  /// The place of the first occurrence of each value, int32; 1 for those that were filled in, as in Keras.
  Tensor indices;
  /// For each element, in x's shape, or each place of the axis that of its value, int32.
  Tensor inverse;
  /// How often each value occurs, int32.
  Tensor counts;
};

/// The different elements of x, or sub-tensors along an axis. Every NaN differs from all others. (keras.ops.unique)
Unique unique(const Tensor& x, const UniqueOptions& options = {});

}  // namespace ops
}  // namespace rhyton
