#pragma once

#include <functional>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// What a function with a gradient of its own returns.
struct WithGradient {
  std::vector<Tensor> outputs;
  /// From the gradients of the outputs to those of the arguments, in their order; an empty tensor for an argument
  /// without one. It is made of ops, so that it can be differentiated again.
  std::function<std::vector<Tensor>(const std::vector<Tensor>& upstream)> gradient;
};

/// `f` with the gradient that it returns in place of that of its ops: for gradients that are numerically stable,
/// clipped or reversed. (keras.ops.custom_gradient)
///
///     const auto log1pexp = custom_gradient([](const std::vector<Tensor>& x) {
///       const Tensor e = exp(x[0]);
///       return WithGradient{{log(1.0 + e)}, [e](const std::vector<Tensor>& upstream) {
///                             return std::vector<Tensor>{upstream[0] * (1.0 - 1.0 / (1.0 + e))};
///                           }};
///     });
///     const Tensor y = log1pexp({x}).front();
///
/// Gradients of the output with respect to variables that `f` reads are not followed. Calling the result throws
/// ValueError when `gradient` is empty; a gradient with another number of tensors than arguments throws it when it is
/// computed.
std::function<std::vector<Tensor>(const std::vector<Tensor>&)> custom_gradient(
    std::function<WithGradient(const std::vector<Tensor>&)> f);

}  // namespace ops
}  // namespace rhyton
