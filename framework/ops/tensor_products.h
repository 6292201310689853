#pragma once

#include <string_view>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

// Products of tensors of any rank, as in keras.ops. Different dtypes are converted to one (`tensor/result_type.h`);
// of integers the results are integers, those of sums of products exact up to 2^53.

namespace rhyton {
inline namespace ops {

/// The sums of products over the last `axes` axes of x1 and the first ones of x2; the others follow each other. Throws
/// ValueError for more axes than the tensors have, InvalidArgumentError when lengths differ. (keras.ops.tensordot)
Tensor tensordot(const Tensor& x1, const Tensor& x2, int axes = 2);
/// The same over `axes1` of x1 and, in the same order, `axes2` of x2.
Tensor tensordot(const Tensor& x1, const Tensor& x2, const std::vector<int>& axes1, const std::vector<int>& axes2);
/// The sum of products over the last axis of x1 and the last but one of x2 (its only one); with a scalar the product of
/// elements. (keras.ops.dot)
Tensor dot(const Tensor& x1, const Tensor& x2);
/// The sum of products over the last axes of both; with a scalar the product of elements. (keras.ops.inner)
Tensor inner(const Tensor& x1, const Tensor& x2);
/// The products of all elements of the flat x1 [M] with all of the flat x2 [N]: [M, N]. (keras.ops.outer)
Tensor outer(const Tensor& x1, const Tensor& x2);
/// The sum of the products of the elements of both, which have one number of them. (keras.ops.vdot)
Tensor vdot(const Tensor& x1, const Tensor& x2);
/// The Kronecker product: each element of x1 times all of x2, as a block. The shorter shape gets axes of length 1 in
/// front. (keras.ops.kron)
Tensor kron(const Tensor& x1, const Tensor& x2);
/// The products of vectors of 2 or 3 elements along `axisa` of x1 and `axisb` of x2, along `axisc` of the result; the
/// others broadcast. A third element that is missing is 0; if both miss it, the result is the third one, without
/// `axisc`. Throws InvalidArgumentError for other lengths. (keras.ops.cross)
Tensor cross(const Tensor& x1, const Tensor& x2, int axisa, int axisb, int axisc);
/// The same with one axis for all three.
Tensor cross(const Tensor& x1, const Tensor& x2, int axis = -1);
/// Which sums `correlate` gives: those of all pairs of x1 with a whole x2, as many as the longer vector has elements,
/// from the middle of all, or all in which both overlap.
enum class CorrelationMode { valid, same, full };

/// The mode of that name in Keras. Throws ValueError for another one.
CorrelationMode correlation_mode_from_name(std::string_view name);

/// The sums of products of the vectors x1 [N] and x2 [M] for each place of x2 along x1: [N - M + 1], [max(N, M)] or
/// [N + M - 1]. Of integers in float32, of int64 in float64. Throws ValueError for other ranks and, for `valid`, where
/// x2 is longer. (keras.ops.correlate)
Tensor correlate(const Tensor& x1, const Tensor& x2, CorrelationMode mode = CorrelationMode::valid);

/// The sum of diagonal `offset` of the matrices of two axes; of bool in int32, of uint8 in int64. (keras.ops.trace)
Tensor trace(const Tensor& x, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1);

}  // namespace ops
}  // namespace rhyton
