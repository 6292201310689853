#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include <rhyton/framework/ops/op.h>

// Functions of keras.ops that create sequences of numbers and matrices of a pattern.

namespace rhyton {
inline namespace ops {

/// start, start + step, … before `stop`, as a tensor [N]. Without a dtype int32 for integers, else `floatx()`.
/// Throws InvalidArgumentError for a step of 0 or one that leads away from `stop`. (keras.ops.arange)
Tensor arange(const Scalar& start, const Scalar& stop, const Scalar& step = 1,
              std::optional<DType> dtype = std::nullopt);
/// 0, 1, … before `stop`.
Tensor arange(const Scalar& stop, std::optional<DType> dtype = std::nullopt);

/// The arguments of `linspace` behind start and stop, with Keras's names.
struct LinspaceOptions {
  std::int64_t num = 50;
  /// Whether `stop` is the last number.
  bool endpoint = true;
  /// By default that of start and stop, if it is floating, else `floatx()`.
  std::optional<DType> dtype = std::nullopt;
  /// The axis of the result on which the numbers are.
  int axis = 0;
};

/// `num` evenly spaced numbers from start to stop, which broadcast, on a new axis. Of an integer dtype rounded down.
/// Throws ValueError for a negative `num`. (keras.ops.linspace)
Tensor linspace(const Tensor& start, const Tensor& stop, const LinspaceOptions& options = {});
Tensor linspace(const Scalar& start, const Scalar& stop, const LinspaceOptions& options = {});
template <std::same_as<int> Number>
Tensor linspace(const Scalar& start, const Scalar& stop, Number num) {
  return linspace(start, stop, LinspaceOptions{.num = num});
}
/// The same, and the distance of two neighbours; NaN where there is none. (keras.ops.linspace with retstep)
std::pair<Tensor, Tensor> linspace_with_step(const Tensor& start, const Tensor& stop,
                                             const LinspaceOptions& options = {});
/// `base` to the powers linspace(start, stop). (keras.ops.logspace)
Tensor logspace(const Tensor& start, const Tensor& stop, const LinspaceOptions& options = {}, double base = 10.0);
Tensor logspace(const Scalar& start, const Scalar& stop, const LinspaceOptions& options = {}, double base = 10.0);
/// `num` numbers from start to stop of one ratio. (keras.ops.geomspace)
Tensor geomspace(const Scalar& start, const Scalar& stop, const LinspaceOptions& options = {});

/// Tensors of that shape filled with 0, 1 or `fill_value`; without a dtype in `floatx()`, as in Keras also of an
/// integer `fill_value`, which may be a tensor that broadcasts to the shape. Throw ValueError for a negative length and
/// where the value is out of range of an integer dtype. (keras.ops.zeros, keras.ops.ones, keras.ops.full)
Tensor zeros(const Shape& shape, std::optional<DType> dtype = std::nullopt);
Tensor ones(const Shape& shape, std::optional<DType> dtype = std::nullopt);
Tensor full(const Shape& shape, const Scalar& fill_value, std::optional<DType> dtype = std::nullopt);
Tensor full(const Shape& shape, const Tensor& fill_value, std::optional<DType> dtype = std::nullopt);

/// The functions of <rhyton/framework/ops/elementwise.h> with another dtype than x's, or with a tensor that broadcasts
/// to x's shape: in a graph they follow x's batch. (keras.ops.zeros_like, keras.ops.ones_like, keras.ops.full_like)
Tensor zeros_like(const Tensor& x, DType dtype);
Tensor ones_like(const Tensor& x, DType dtype);
Tensor full_like(const Tensor& x, const Scalar& fill_value, DType dtype);
Tensor full_like(const Tensor& x, const Tensor& fill_value, std::optional<DType> dtype = std::nullopt);

/// A tensor of that shape with any elements, which are 0 as in Keras on TensorFlow; without a dtype in `floatx()`.
/// (keras.ops.empty)
Tensor empty(const Shape& shape, std::optional<DType> dtype = std::nullopt);
/// The same in the shape and, without a dtype, the dtype of x, whose batch it follows in a graph.
/// (keras.ops.empty_like)
Tensor empty_like(const Tensor& x, std::optional<DType> dtype = std::nullopt);

/// The matrix [rows, columns] with 1 on diagonal `k` and 0 elsewhere; without `columns` it is square, without a
/// dtype in `floatx()`. Throws InvalidArgumentError for negative lengths. (keras.ops.eye, keras.ops.identity)
Tensor eye(std::int64_t rows, std::optional<std::int64_t> columns = std::nullopt, std::int64_t k = 0,
           std::optional<DType> dtype = std::nullopt);
/// The same with 1 at and below diagonal `k`. (keras.ops.tri)
Tensor tri(std::int64_t rows, std::optional<std::int64_t> columns = std::nullopt, std::int64_t k = 0,
           std::optional<DType> dtype = std::nullopt);

}  // namespace ops
}  // namespace rhyton
