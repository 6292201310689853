#pragma once

#include <utility>

#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

/// The reduced QR decomposition of the matrices in the last two axes (`keras.ops.qr`, `tf.linalg.qr`): x [..., M, N] ->
/// q [..., M, min(M, N)] with orthonormal columns and the upper triangle r [..., min(M, N), N], x = q r. The signs of
/// r's diagonal are those of LAPACK, not normalised. It has no derivative. Throws InvalidArgumentError for a rank
/// below 2.
std::pair<Tensor, Tensor> qr(const Tensor& x);

/// Input x; outputs {q, r}.
class QrOp final : public Op {
 public:
  std::string_view name() const override { return "Qr"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
};

}  // namespace ops
}  // namespace rhyton
