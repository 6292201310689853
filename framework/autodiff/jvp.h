#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// The results of `fun` at `primals`, and the products of its Jacobian and the `tangents`: by how much the results
/// change where the arguments change by these. A result that does not depend on floating arguments has an empty
/// tangent. Computed as the derivative of the gradient, which is linear in the gradients of the results, so that ops
/// with two derivatives have it. Throws ValueError unless there is one tangent of its shape for each primal; they are
/// cast to its dtype. (keras.ops.jvp)
///
///     const auto [y, dy] = jvp([](const Tensor& x) { return sin(x); }, x, Tensor::full(x.shape(), 1.0));
std::pair<Tensor, Tensor> jvp(const std::function<Tensor(const Tensor&)>& fun, const Tensor& primal,
                              const Tensor& tangent);
std::pair<std::vector<Tensor>, std::vector<Tensor>> jvp(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& fun, const std::vector<Tensor>& primals,
    const std::vector<Tensor>& tangents);

}  // namespace ops
}  // namespace rhyton
