#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <rhyton/framework/ops/op.h>

// Functions of keras.ops along an axis, each element of whose results depends on several in a row.

namespace rhyton {
inline namespace ops {

/// The sums of the elements up to and including each along `axis`; without an axis of the flat x. In x's dtype, of bool
/// in int32, or computed in `dtype`. (keras.ops.cumsum)
Tensor cumsum(const Tensor& x, std::optional<int> axis = std::nullopt, std::optional<DType> dtype = std::nullopt);
/// The products, likewise. As in TensorFlow the gradient of an element that is 0 is 0. (keras.ops.cumprod)
Tensor cumprod(const Tensor& x, std::optional<int> axis = std::nullopt, std::optional<DType> dtype = std::nullopt);
/// The sums and products of `nan_to_num(x)`, with NaN as 0 and as 1. (keras.ops.nancumsum, keras.ops.nancumprod)
Tensor nancumsum(const Tensor& x, std::optional<int> axis = std::nullopt, std::optional<DType> dtype = std::nullopt);
Tensor nancumprod(const Tensor& x, std::optional<int> axis = std::nullopt, std::optional<DType> dtype = std::nullopt);
/// The differences of neighbours along `axis`, `n` times: each time one element less. Of bool whether they differ.
/// Throws ValueError for a negative n or a tensor of rank 0. (keras.ops.diff)
Tensor diff(const Tensor& x, int n = 1, int axis = -1);

/// The integral along `axis` by the trapezoidal rule, of points that are `dx` apart. (keras.ops.trapezoid)
Tensor trapezoid(const Tensor& y, double dx = 1.0, int axis = -1);
/// The same at the points x, which has y's shape or is a vector of the axis's length.
Tensor trapezoid(const Tensor& y, const Tensor& x, int axis = -1);

/// The op of cumsum and cumprod.
class CumulativeOp final : public Op {
 public:
  enum class Kind { sum, prod };

  /// `reverse`: from the end of the axis to its beginning.
  CumulativeOp(Kind kind, int axis, bool reverse) : kind(kind), axis(axis), reverse(reverse) {}
  std::string_view name() const override { return kind == Kind::sum ? "Cumsum" : "Cumprod"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const Kind kind;
  /// Counted from the front.
  const int axis;
  const bool reverse;
};

}  // namespace ops
}  // namespace rhyton
