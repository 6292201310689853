#include <rhyton/framework/ops/linear_systems.h>

#include <algorithm>
#include <cstdint>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {
namespace {

/// The distance of 1 and the next number of the dtype.
double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 0x1p-10;
    case DType::bfloat16:
      return 0x1p-7;
    case DType::float64:
      return 0x1p-52;
    default:
      return 0x1p-23;
  }
}

double longer_axis(const Shape& x) { return static_cast<double>(std::max(x.at(-2), x.at(-1))); }

std::string given_shapes(const Shape& a, const Shape& b) {
  return " Received: a.shape=" + a.to_string() + ", b.shape=" + b.to_string();
}

/// What Keras requires of both arguments of `solve`.
void require_system(const Tensor& a, const Tensor& b, std::string_view op) {
  require_square_matrix(a.spec(), op);
  if (b.rank() < 1) throw ValueError("Expected input to have rank >= 1. Received scalar input.");
  if (a.rank() == b.rank() && a.shape().at(-2) != b.shape().at(-2)) {
    throw ValueError("Incompatible shapes between `a` and `b`. Expected `a.shape[-2] == b.shape[-2]`." +
                     given_shapes(a.shape(), b.shape()));
  }
  if (a.rank() == b.rank() - 1 && a.shape().at(-1) != b.shape().at(-1)) {
    throw ValueError("Incompatible shapes between `a` and `b`. Expected `a.shape[-1] == b.shape[-1]`." +
                     given_shapes(a.shape(), b.shape()));
  }
  if (a.rank() == b.rank() + 1 && a.shape().at(-1) != b.shape().at(-1)) {
    throw InvalidArgumentError("Input matrix and rhs are incompatible." + given_shapes(a.shape(), b.shape()));
  }
  if (b.rank() != a.rank() && b.rank() != a.rank() - 1) {
    throw InvalidArgumentError("All input tensors must have the same rank." + given_shapes(a.shape(), b.shape()));
  }
}

/// `compute` on matrices of one dtype: b is a column if it has one axis less.
template <class Compute>
Tensor solved(const Tensor& a, const Tensor& b, std::string_view op, Compute compute) {
  require_system(a, b, op);
  const DType dtype = result_type(a.dtype(), b.dtype());
  const Tensor matrices = cast(a, dtype);
  const Tensor right = cast(b, dtype);
  if (b.rank() == a.rank()) return compute(matrices, right);
  return squeeze(compute(matrices, expand_dims(right, -1)), {-1});
}

/// The lengths in front of matrices, as broadcast.
Shape common_batch(const Shape& a, const Shape& b) {
  try {
    return broadcast_shapes(a.slice(0, a.rank() - 2), b.slice(0, b.rank() - 2));
  } catch (const InvalidArgumentError&) {
    throw InvalidArgumentError("In[0] and In[1] must have compatible batch dimensions:" + given_shapes(a, b));
  }
}

Tensor with_batch(const Tensor& x, const Shape& batch) {
  return broadcast_to(x, batch.concatenate(x.shape().slice(x.rank() - 2, x.rank())));
}

std::vector<TensorSpec> infer_system(std::span<const TensorSpec> inputs, std::string_view op) {
  const Shape& a = inputs[0].shape;
  const Shape& b = inputs[1].shape;
  require_square_matrix(inputs[0], op);
  require_matrix(inputs[1], op);
  if (a.rank() != b.rank() || !(a.slice(0, a.rank() - 2) == b.slice(0, b.rank() - 2))) {
    throw InvalidArgumentError("All input tensors must have the same outer dimensions." + given_shapes(a, b));
  }
  if (a.at(-1) != b.at(-2)) {
    throw InvalidArgumentError("Input matrix and rhs are incompatible." + given_shapes(a, b));
  }
  return {inputs[1]};
}

/// da of a x = b from db, or of aᵀ x = b.
Tensor matrix_gradient(const Tensor& x, const Tensor& db, bool transpose) {
  return negative(transpose ? matmul(x, db, false, true) : matmul(db, x, false, true));
}

std::vector<TensorSpec> infer_determinants(const TensorSpec& x, std::size_t outputs) {
  return std::vector<TensorSpec>(outputs, {x.shape.slice(0, x.shape.rank() - 2), x.dtype});
}

/// [...] -> [..., 1, 1].
Tensor spread_over_matrices(const Tensor& x) { return expand_dims(expand_dims(x, -1), -1); }

/// TensorFlow's check of square matrices.
void require_square_input(const TensorSpec& x, std::string_view op) {
  if (x.shape.rank() < 2) {
    throw InvalidArgumentError("Input tensor 0 must have rank >= 2, got " + std::to_string(x.shape.rank()));
  }
  require_matrix(x, op);
  if (x.shape.at(-2) != x.shape.at(-1)) {
    throw InvalidArgumentError("Input matrix must be square. Received: shape " + x.shape.to_string());
  }
}

}  // namespace

// --- Systems

Tensor solve(const Tensor& a, const Tensor& b) {
  return solved(a, b, "MatrixSolve", [](const Tensor& left, const Tensor& right) {
    return call<SolveOp>({left, right});
  });
}

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool lower) {
  return solved(a, b, "MatrixTriangularSolve", [lower](const Tensor& left, const Tensor& right) {
    const Shape batch = common_batch(left.shape(), right.shape());
    return call<TriangularSolveOp>({with_batch(left, batch), with_batch(right, batch)}, lower);
  });
}

Tensor lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond) {
  const auto require_rank = [](const Tensor& x, bool fits, const char* lengths) {
    if (!fits) {
      throw TypeError(std::to_string(x.rank()) + "-dimensional array given. Array must be " + lengths +
                      "two-dimensional");
    }
  };
  require_rank(a, a.rank() == 2, "");
  require_rank(b, b.rank() == 1 || b.rank() == 2, "one or ");
  if (a.shape()[0] != b.shape()[0]) throw ValueError("Leading dimensions of input arrays must match");
  const double epsilon = epsilon_of(a.dtype());
  double limit = rcond.value_or(epsilon * longer_axis(a.shape()));
  if (limit < 0.0) limit = epsilon;
  const Tensor inverse = call<PseudoInverseOp>({a}, limit, true);
  if (b.rank() == 2) return matmul(inverse, b);
  return squeeze(matmul(inverse, expand_dims(b, -1)), {-1});
}

std::vector<TensorSpec> SolveOp::infer(std::span<const TensorSpec> inputs) const {
  return infer_system(inputs, name());
}

std::vector<Tensor> SolveOp::gradient(const GradientArguments& arguments) const {
  const Tensor db = call<SolveOp>({arguments.inputs[0], arguments.output_gradients[0]}, !transpose);
  return {arguments.needed[0] ? matrix_gradient(arguments.outputs[0], db, transpose) : Tensor(), db};
}

std::string SolveOp::attributes() const { return attribute("transpose", transpose); }

std::vector<TensorSpec> TriangularSolveOp::infer(std::span<const TensorSpec> inputs) const {
  return infer_system(inputs, name());
}

std::vector<Tensor> TriangularSolveOp::gradient(const GradientArguments& arguments) const {
  const Tensor db = call<TriangularSolveOp>({arguments.inputs[0], arguments.output_gradients[0]}, lower, !transpose);
  if (!arguments.needed[0]) return {Tensor(), db};
  const Tensor da = matrix_gradient(arguments.outputs[0], db, transpose);
  return {lower ? tril(da) : triu(da), db};
}

std::string TriangularSolveOp::attributes() const {
  return attribute("lower", lower) + ", " + attribute("transpose", transpose);
}

// --- Inverses

Tensor inv(const Tensor& x) { return call<InverseOp>({x}); }

std::vector<TensorSpec> InverseOp::infer(std::span<const TensorSpec> inputs) const {
  require_square_matrix(inputs[0], name());
  return {inputs[0]};
}

std::vector<Tensor> InverseOp::gradient(const GradientArguments& arguments) const {
  const Tensor& y = arguments.outputs[0];
  return {negative(matmul(matmul(y, arguments.output_gradients[0], true), y, false, true))};
}

Tensor cholesky_inverse(const Tensor& x, bool upper) {
  require_square_matrix(x.spec(), "CholeskyInverse");
  const Tensor identity = broadcast_like(eye(x.shape().at(-1), std::nullopt, 0, x.dtype()), x);
  const Tensor inverse = call<TriangularSolveOp>({x, identity}, !upper);
  return upper ? matmul(inverse, inverse, false, true) : matmul(inverse, inverse, true);
}

Tensor pinv(const Tensor& x, std::optional<double> rcond) {
  require_matrix(x.spec(), "PseudoInverse");
  return call<PseudoInverseOp>({x}, rcond.value_or(10.0 * longer_axis(x.shape()) * epsilon_of(x.dtype())));
}

std::vector<TensorSpec> PseudoInverseOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape& x = inputs[0].shape;
  require_matrix(inputs[0], name());
  return {{x.with(-2, x.at(-1)).with(-1, x.at(-2)), inputs[0].dtype}};
}

std::vector<Tensor> PseudoInverseOp::gradient(const GradientArguments& arguments) const {
  const Tensor& x = arguments.inputs[0];
  const Tensor& p = arguments.outputs[0];
  const Tensor& dp = arguments.output_gradients[0];
  // <dp, -p dx p + p pᵀ dxᵀ (1 - x p) + (1 - p x) dxᵀ pᵀ p> as a sum over dx.
  const Tensor right = matmul(dp, matmul(p, p, false, true), true);
  const Tensor left = matmul(matmul(p, p, true), dp, false, true);
  return {(right - matmul(x, matmul(p, right))) + (left - matmul(matmul(left, p), x)) -
          matmul(matmul(p, dp, true), p, false, true)};
}

std::string PseudoInverseOp::attributes() const {
  return attribute("rcond", rcond) + ", " + attribute("keeps_limit", keeps_limit);
}

// --- Determinants and ranks

Tensor det(const Tensor& x) { return call<DeterminantOp>({x}); }

std::vector<TensorSpec> DeterminantOp::infer(std::span<const TensorSpec> inputs) const {
  require_square_matrix(inputs[0], name());
  return infer_determinants(inputs[0], 1);
}

std::vector<Tensor> DeterminantOp::gradient(const GradientArguments& arguments) const {
  const Tensor factor = arguments.outputs[0] * arguments.output_gradients[0];
  return {spread_over_matrices(factor) * matrix_transpose(inv(arguments.inputs[0]))};
}

SignAndLogDeterminant slogdet(const Tensor& x) {
  const std::vector<Tensor> outputs = call_many<LogDeterminantOp>({x});
  return {outputs[0], outputs[1]};
}

std::vector<TensorSpec> LogDeterminantOp::infer(std::span<const TensorSpec> inputs) const {
  require_square_input(inputs[0], name());
  return infer_determinants(inputs[0], 2);
}

std::vector<Tensor> LogDeterminantOp::gradient(const GradientArguments& arguments) const {
  const Tensor& dlog = arguments.output_gradients[1];
  // The sign is constant where it has a derivative.
  if (dlog.is_empty()) return {zeros_like(arguments.inputs[0])};
  return {spread_over_matrices(dlog) * matrix_transpose(inv(arguments.inputs[0]))};
}

Tensor logdet(const Tensor& x) {
  require_square_input(x.spec(), "LogDet");
  const Tensor factor = call<CholeskyOp>({x}, false);
  return sum(log(diagonal(factor, 0, -2, -1)), {-1}) * 2.0;
}

Tensor matrix_rank(const Tensor& x, std::optional<double> tol) {
  const Tensor values = svdvals(x);
  if (values.shape().at(-1) == 0) return zeros_like(sum(cast(values, DType::int32), {-1}));
  if (tol) return sum(cast(greater(values, *tol), DType::int32), {-1});
  const Tensor limit = reduce_max(values, {-1}, true) * (longer_axis(x.shape()) * epsilon_of(x.dtype()));
  return sum(cast(greater(values, limit), DType::int32), {-1});
}

}  // namespace ops
}  // namespace rhyton
