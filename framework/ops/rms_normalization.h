#pragma once

#include <optional>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// Fields in the order of `keras.ops.rms_normalization`.
struct RmsNormOptions {
  ByName by_name = ByName();
  /// A factor that broadcasts to x; empty for none.
  Tensor scale = {};
  /// All axes where it is empty.
  std::vector<int> axis = {-1};
  /// `config::epsilon()` where it is not given.
  std::optional<double> epsilon = std::nullopt;
};

/// x divided by the root of the mean of its squares over the axes: x / √(mean(x²) + epsilon) · scale
/// (`keras.ops.rms_normalization`, https://keras.io/api/ops/nn/#rmsnormalization-function). All dtypes, computed in
/// float32 at least; the result has that of x. A scalar becomes a tensor of one element, as in Keras. Differentiable
/// any number of times. Throws ValueError for axes out of range.
///
/// Source: Zhang and Sennrich, Root mean square layer normalization, https://arxiv.org/abs/1910.07467
Tensor rms_normalization(const Tensor& x, const RmsNormOptions& options = {});

}  // namespace ops
}  // namespace rhyton
