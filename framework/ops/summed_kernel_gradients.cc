#include <rhyton/framework/ops/summed_kernel_gradients.h>

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/matmul.h>

namespace rhyton {
inline namespace ops {

std::vector<TensorSpec> SummedKernelGradientsOp::infer(std::span<const TensorSpec> inputs) const {
  if (inputs.empty() || inputs.size() % 2 != 0) {
    throw InvalidArgumentError(fmt::format("{} takes pairs of tensors. Received: {} tensors.", name(), inputs.size()));
  }
  const MatMulKernelGradientOp product;
  const TensorSpec result = product.infer(inputs.first(2))[0];
  for (std::size_t i = 2; i < inputs.size(); i += 2) {
    const TensorSpec other = product.infer(inputs.subspan(i, 2))[0];
    if (other != result) {
      throw InvalidArgumentError(fmt::format("{} adds products of one shape. Received: {} and {}.", name(),
                                             result.shape.to_string(), other.shape.to_string()));
    }
  }
  return {result};
}

BatchRule SummedKernelGradientsOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  const bool is_sum = std::ranges::all_of(batch_axes, [](int axis) { return axis == 0; });
  return is_sum ? BatchRule::sums() : BatchRule::mixes(-1);
}

double SummedKernelGradientsOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const {
  const MatMulKernelGradientOp product;
  double sum = 0;
  for (std::size_t i = 0; i < inputs.size(); i += 2) sum += product.flops(inputs.subspan(i, 2), outputs);
  return sum;
}

}  // namespace ops
}  // namespace rhyton
