#include <rhyton/framework/ops/linear_algebra.h>

#include <algorithm>

#include <rhyton/framework/ops/broadcasting.h>

namespace rhyton {
inline namespace ops {

std::pair<Tensor, Tensor> qr(const Tensor& x) {
  const std::vector<Tensor> outputs = rhyton::apply(std::make_shared<const QrOp>(), std::span(&x, 1));
  return {outputs[0], outputs[1]};
}

std::vector<TensorSpec> QrOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape& x = inputs[0].shape;
  if (x.rank() < 2) {
    throw InvalidArgumentError("Input must have rank >= 2, got " + std::to_string(x.rank()));
  }
  if (!is_floating(inputs[0].dtype)) {
    throw InvalidArgumentError("Qr takes tensors of a floating dtype. Received: " +
                               std::string(message_name_of(inputs[0].dtype)));
  }
  const std::int64_t shorter = std::min(x.at(-2), x.at(-1));
  return {{x.with(x.rank() - 1, shorter), inputs[0].dtype}, {x.with(x.rank() - 2, shorter), inputs[0].dtype}};
}

BatchRule QrOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  if (inputs[0].shape.rank() > 2 && batch_axes[0] == 0) return BatchRule::maps(0);
  return BatchRule::mixes(batch_axes[0] < inputs[0].shape.rank() - 2 ? batch_axes[0] : -1);
}

}  // namespace ops
}  // namespace rhyton
