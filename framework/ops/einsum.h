#pragma once

#include <concepts>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// The sums of products that `subscripts` denote by Einstein's convention: "ij,jk->ik" is a product of matrices,
/// "bhqd,bhkd->bhqk" the scores of attention, "ii->i" a diagonal, "ij->" the sum of all elements. "..." stands for any
/// number of axes, which broadcast. Without "->" the result has the labels that occur once, in the order of their first
/// occurrence, as in Keras. It is composed of transposes, products and sums; operands are taken from the left to the
/// right. Different dtypes are converted to one (`tensor/result_type.h`); of integers the result is an integer, exact
/// up to 2^53.
///
/// Throws ValueError for subscripts of a wrong format, a label of the result that no operand has or that occurs twice,
/// and a number of operands other than that of the subscripts; InvalidArgumentError for operands of another rank or
/// with lengths that differ. (keras.ops.einsum)
Tensor einsum(const std::string& subscripts, const std::vector<Tensor>& operands);

/// The same for one or more operands: `einsum("ij,jk->ik", a, b)`.
template <std::convertible_to<Tensor>... Tensors>
Tensor einsum(const std::string& subscripts, const Tensor& first, const Tensors&... others) {
  return einsum(subscripts, std::vector<Tensor>{first, others...});
}

}  // namespace ops
}  // namespace rhyton
