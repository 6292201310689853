#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

/// The bytes of x as elements of another dtype, of which the last axis gets as many as its bytes hold; without a dtype
/// x itself. All dtypes but, on either side, bool, and no gradient. Throws ValueError where the bytes of the last axis
/// are no whole elements, or x has no axis and the sizes of elements differ; TypeError for bool. (keras.ops.view)
Tensor view(const Tensor& x, std::optional<DType> dtype = std::nullopt);

/// The shape of `view` of a tensor of that shape and dtype, where -1 is an unknown length. Throws as `view`.
Shape view_shape(const Shape& shape, DType from, DType to);

/// Input x -> the same bytes as elements of `dtype`.
class BitcastOp final : public Op {
 public:
  explicit BitcastOp(DType dtype) : dtype(dtype) {}
  std::string_view name() const override { return "Bitcast"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const DType dtype;
};

}  // namespace ops
}  // namespace rhyton
