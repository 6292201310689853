#pragma once

#include <functional>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// A function of whole tensors from one of elements: it broadcasts its arguments, calls `pyfunc` with the elements of
/// each place, scalars, and returns the results in the broadcast shape. By a `signature` such as "(n),(m,n)->(m)"
/// pyfunc gets the last axes that are named, in each argument equally long where the names are equal, and only the axes
/// in front of them broadcast. As in `map` a compiled function has the ops of all calls, and has all derivatives.
/// (keras.ops.vectorize and numpy.vectorize; Keras on TensorFlow refuses any arguments that broadcast)
///
/// Throws ValueError for a signature in another form and when it is called with axes that do not fit, TypeError for a
/// number of arguments or results other than the signature's.
///
///     const auto dots = vectorize([](const std::vector<Tensor>& x) { return dot(x[0], x[1]); }, "(n),(n)->()");
///     const Tensor y = dots({a, b});
std::function<Tensor(const std::vector<Tensor>&)> vectorize(
    const std::function<Tensor(const std::vector<Tensor>&)>& pyfunc, const std::string& signature = "");
/// The same for a function with several results.
std::function<std::vector<Tensor>(const std::vector<Tensor>&)> vectorize(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& pyfunc, const std::string& signature = "");

}  // namespace ops
}  // namespace rhyton
