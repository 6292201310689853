#pragma once

#include <rhyton/framework/tensor/tensor.h>

// Functions of keras.ops for complex numbers, of real tensors: there are no others.

namespace rhyton {
inline namespace ops {

/// π where an element is negative, else 0. Of integers in `floatx()`. No gradient. (keras.ops.angle)
Tensor angle(const Tensor& x);
/// x itself. Throws TypeError for bool. Also `conjugate`. (keras.ops.conj)
Tensor conj(const Tensor& x);
Tensor conjugate(const Tensor& x);
/// Zeros of x's shape and dtype. (keras.ops.imag)
Tensor imag(const Tensor& x);
/// x itself. (keras.ops.real)
Tensor real(const Tensor& x);
/// bool: true for each element. (keras.ops.isreal)
Tensor isreal(const Tensor& x);

}  // namespace ops
}  // namespace rhyton
