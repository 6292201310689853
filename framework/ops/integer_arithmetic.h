#pragma once

#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>

// Division with a remainder and operations on bits, of keras.ops. Different dtypes are converted to one
// (`tensor/result_type.h`); both arguments broadcast.

namespace rhyton {
inline namespace ops {

/// The quotient rounded down. Of integers an integer, not of bool; an integer divided by 0 throws InvalidArgumentError.
/// No gradient. (keras.ops.floor_divide)
Tensor floor_divide(const Tensor& x1, const Tensor& x2);
/// The remainder of it, which has the sign of x2. Of integers an integer, of bool int32. (keras.ops.mod)
Tensor mod(const Tensor& x1, const Tensor& x2);
/// The remainder of the quotient rounded towards 0, which has the sign of x1. (keras.ops.fmod)
Tensor fmod(const Tensor& x1, const Tensor& x2);

/// The greatest common divisor of the sizes of two integers, 0 of two zeros. Throws TypeError for other dtypes. No
/// gradient. (keras.ops.gcd)
Tensor gcd(const Tensor& x1, const Tensor& x2);
/// The least common multiple of the sizes of two integers, 0 where one is. Throws TypeError for other dtypes. No
/// gradient. (keras.ops.lcm)
Tensor lcm(const Tensor& x1, const Tensor& x2);

/// The bits of two integers, combined by "and", "or" and "exclusive or". Other dtypes throw InvalidArgumentError. No
/// gradient.
Tensor bitwise_and(const Tensor& x1, const Tensor& x2);
Tensor bitwise_or(const Tensor& x1, const Tensor& x2);
Tensor bitwise_xor(const Tensor& x1, const Tensor& x2);
/// All bits inverted. Also `bitwise_not`.
Tensor bitwise_invert(const Tensor& x);
Tensor bitwise_not(const Tensor& x);
/// x1 with its bits shifted to the left by x2 places, limited to 0 and one less than the number of bits. Also
/// `left_shift`.
Tensor bitwise_left_shift(const Tensor& x1, const Tensor& x2);
Tensor left_shift(const Tensor& x1, const Tensor& x2);
/// The same to the right, where the sign is repeated. Also `right_shift`.
Tensor bitwise_right_shift(const Tensor& x1, const Tensor& x2);
Tensor right_shift(const Tensor& x1, const Tensor& x2);

// With a number. As in Keras it gets the dtype that it has in a sum if it divides in `floor_divide` or is the number of
// bits of a shift, and else is an int32 or a `floatx()`: `mod(x, 3)` of uint8 is int32.

Tensor floor_divide(const Tensor& x1, const Scalar& x2);
Tensor floor_divide(const Scalar& x1, const Tensor& x2);
Tensor mod(const Tensor& x1, const Scalar& x2);
Tensor mod(const Scalar& x1, const Tensor& x2);
Tensor fmod(const Tensor& x1, const Scalar& x2);
Tensor fmod(const Scalar& x1, const Tensor& x2);
Tensor bitwise_and(const Tensor& x1, const Scalar& x2);
Tensor bitwise_and(const Scalar& x1, const Tensor& x2);
Tensor bitwise_or(const Tensor& x1, const Scalar& x2);
Tensor bitwise_or(const Scalar& x1, const Tensor& x2);
Tensor bitwise_xor(const Tensor& x1, const Scalar& x2);
Tensor bitwise_xor(const Scalar& x1, const Tensor& x2);
Tensor bitwise_left_shift(const Tensor& x1, const Scalar& x2);
Tensor bitwise_left_shift(const Scalar& x1, const Tensor& x2);
Tensor left_shift(const Tensor& x1, const Scalar& x2);
Tensor left_shift(const Scalar& x1, const Tensor& x2);
Tensor bitwise_right_shift(const Tensor& x1, const Scalar& x2);
Tensor bitwise_right_shift(const Scalar& x1, const Tensor& x2);
Tensor right_shift(const Tensor& x1, const Scalar& x2);
Tensor right_shift(const Scalar& x1, const Tensor& x2);

/// `mod`, as Python's `%`. Numbers get the dtype that they have in a sum.
Tensor operator%(const Tensor& x1, const Tensor& x2);
Tensor operator%(const Tensor& x1, const Scalar& x2);
Tensor operator%(const Scalar& x1, const Tensor& x2);
// Of two bools the logical function, else that of bits, as with TensorFlow's tensors.
Tensor operator&(const Tensor& x1, const Tensor& x2);
Tensor operator&(const Tensor& x1, const Scalar& x2);
Tensor operator|(const Tensor& x1, const Tensor& x2);
Tensor operator|(const Tensor& x1, const Scalar& x2);
Tensor operator^(const Tensor& x1, const Tensor& x2);
Tensor operator^(const Tensor& x1, const Scalar& x2);
Tensor operator~(const Tensor& x);
// `x %= y` is `x = x % y`: other handles of the tensor that `x` was keep it.
inline Tensor& operator%=(Tensor& x1, const Tensor& x2) { return x1 = x1 % x2; }
inline Tensor& operator%=(Tensor& x1, const Scalar& x2) { return x1 = x1 % x2; }
inline Tensor& operator&=(Tensor& x1, const Tensor& x2) { return x1 = x1 & x2; }
inline Tensor& operator&=(Tensor& x1, const Scalar& x2) { return x1 = x1 & x2; }
inline Tensor& operator|=(Tensor& x1, const Tensor& x2) { return x1 = x1 | x2; }
inline Tensor& operator|=(Tensor& x1, const Scalar& x2) { return x1 = x1 | x2; }
inline Tensor& operator^=(Tensor& x1, const Tensor& x2) { return x1 = x1 ^ x2; }
inline Tensor& operator^=(Tensor& x1, const Scalar& x2) { return x1 = x1 ^ x2; }

}  // namespace ops
}  // namespace rhyton
