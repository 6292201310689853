#include <rhyton/framework/ops/linear_algebra.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/linear_systems.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

/// The lower triangle with half of the diagonal.
Tensor halved_lower_triangle(const Tensor& x) { return (tril(x) + tril(x, -1)) * 0.5; }

Tensor one_of_them(const Tensor& gradient, const Tensor& like) {
  return gradient.is_empty() ? zeros_like(like) : gradient;
}

/// 1 / x, and 0 for 0, also in the derivative.
Tensor reciprocal_or_zero(const Tensor& x) {
  const Tensor is_zero = equal(x, 0.0);
  return where(is_zero, 0.0, 1.0 / where(is_zero, 1.0, x));
}

/// [..., N] -> the numbers 1 / (x_j - x_i), 0 where they are equal.
Tensor reciprocal_differences(const Tensor& x) { return reciprocal_or_zero(expand_dims(x, -2) - expand_dims(x, -1)); }

Tensor identity_of(std::int64_t length, const Tensor& like) { return eye(length, std::nullopt, 0, like.dtype()); }

/// [..., N] -> [..., N, N] with the numbers on the diagonal.
Tensor diagonal_matrices(const Tensor& x) { return expand_dims(x, -2) * identity_of(x.shape().at(-1), x); }

/// y r⁻ᵀ of an upper triangle r.
Tensor times_inverse_transpose(const Tensor& y, const Tensor& r) {
  return matrix_transpose(solve_triangular(r, matrix_transpose(y)));
}

/// The derivative of x = q r with independent columns.
Tensor tall_qr_gradient(const Tensor& q, const Tensor& r, const Tensor& dq, const Tensor& dr) {
  const Tensor projected = matmul(q, dq, true);
  const Tensor products = matmul(r, dr, false, true);
  const Tensor skew = projected - matrix_transpose(projected) + products - matrix_transpose(products);
  return matmul(q, dr + times_inverse_transpose(tril(skew, -1), r)) +
         times_inverse_transpose(dq - matmul(q, projected), r);
}

/// The first columns of x, and those behind them.
std::pair<Tensor, Tensor> columns_before_and_from(const Tensor& x, std::int64_t column) {
  return {slice_axis(x, -1, 0, column), slice_axis(x, -1, column, x.shape().at(-1))};
}

Tensor wide_qr_gradient(const Tensor& x, const Tensor& q, const Tensor& r, const Tensor& dq, const Tensor& dr) {
  const std::int64_t rows = x.shape().at(-2);
  const Tensor rest = columns_before_and_from(x, rows).second;
  const auto [dr_square, dr_rest] = columns_before_and_from(dr, rows);
  const Tensor square_gradient =
      tall_qr_gradient(q, columns_before_and_from(r, rows).first, dq + matmul(rest, dr_rest, false, true), dr_square);
  return concatenate({square_gradient, matmul(q, dr_rest)}, -1);
}

/// dy of a decomposition with vectors u, s, vh, all thin.
Tensor singular_vector_gradient(const Tensor& u, const Tensor& s, const Tensor& vh, const Tensor& du, const Tensor& ds,
                                const Tensor& dvh) {
  const Tensor v = matrix_transpose(vh);
  const Tensor factors = reciprocal_differences(square(s));
  const Tensor row = expand_dims(s, -2);
  const Tensor column = expand_dims(s, -1);
  const Tensor inverse = reciprocal_or_zero(s);
  Tensor inner = diagonal_matrices(ds);
  Tensor beside_u;
  Tensor beside_v;
  if (!du.is_empty()) {
    const Tensor u_du = matmul(u, du, true);
    inner = inner + factors * (u_du - matrix_transpose(u_du)) * row;
    if (u.shape().at(-2) > u.shape().at(-1)) {
      beside_u = matmul((du - matmul(u, u_du)) * expand_dims(inverse, -2), vh);
    }
  }
  if (!dvh.is_empty()) {
    const Tensor dv = matrix_transpose(dvh);
    const Tensor v_dv = matmul(v, dv, true);
    inner = inner + column * (factors * (v_dv - matrix_transpose(v_dv)));
    if (v.shape().at(-2) > v.shape().at(-1)) {
      beside_v = matmul(u, matrix_transpose((dv - matmul(v, v_dv)) * expand_dims(inverse, -2)));
    }
  }
  Tensor gradient = matmul(matmul(u, inner), vh);
  if (!beside_u.is_empty()) gradient = gradient + beside_u;
  return beside_v.is_empty() ? gradient : gradient + beside_v;
}

}  // namespace

void require_matrix(const TensorSpec& x, std::string_view op) {
  if (x.shape.rank() < 2) {
    throw ValueError("Expected input to have rank >= 2. Received input with shape " + x.shape.to_string() + ".");
  }
  if (!is_floating(x.dtype)) {
    throw InvalidArgumentError(
        std::string(op) + " takes tensors of a floating dtype. Received: " + std::string(message_name_of(x.dtype)));
  }
}

void require_square_matrix(const TensorSpec& x, std::string_view op) {
  require_matrix(x, op);
  if (x.shape.at(-2) != x.shape.at(-1)) {
    throw ValueError("Expected a square matrix. Received non-square input with shape " + x.shape.to_string());
  }
}

Tensor matrix_transpose(const Tensor& x) { return swapaxes(x, -2, -1); }

BatchRule MatricesOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const int axis = *std::max_element(batch_axes.begin(), batch_axes.end());
  bool is_batch = true;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    is_batch = is_batch && batch_axes[i] == axis && axis < inputs[i].shape.rank() - 2;
  }
  if (!is_batch) return BatchRule::mixes();
  return axis == 0 ? BatchRule::maps(0) : BatchRule::mixes(axis);
}

double MatricesOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  const Shape& x = inputs[0].shape;
  return 2.0 * static_cast<double>(x.size()) * static_cast<double>(std::min(x.at(-2), x.at(-1)));
}

// --- QR

std::pair<Tensor, Tensor> qr(const Tensor& x, QrMode mode) {
  const std::vector<Tensor> outputs = call_many<QrOp>({x}, mode);
  return {outputs[0], outputs[1]};
}

std::vector<TensorSpec> QrOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape& x = inputs[0].shape;
  if (x.rank() < 2) {
    throw InvalidArgumentError("Input must have rank >= 2, got " + std::to_string(x.rank()));
  }
  require_matrix(inputs[0], name());
  const std::int64_t columns = mode == QrMode::complete ? x.at(-2) : std::min(x.at(-2), x.at(-1));
  return {{x.with(x.rank() - 1, columns), inputs[0].dtype}, {x.with(x.rank() - 2, columns), inputs[0].dtype}};
}

std::vector<Tensor> QrOp::gradient(const GradientArguments& arguments) const {
  const Tensor& x = arguments.inputs[0];
  const Tensor& q = arguments.outputs[0];
  const Tensor& r = arguments.outputs[1];
  const std::int64_t rows = x.shape().at(-2);
  const std::int64_t columns = x.shape().at(-1);
  if (mode == QrMode::complete && rows > columns) {
    throw NotImplementedError(
        "A complete QR decomposition has no derivative for matrices with more rows than columns. Received: shape " +
        x.shape().to_string());
  }
  const Tensor dq = one_of_them(arguments.output_gradients[0], q);
  // What is 0 below the diagonal is constant.
  const Tensor dr = triu(one_of_them(arguments.output_gradients[1], r));
  return {rows < columns ? wide_qr_gradient(x, q, r, dq, dr) : tall_qr_gradient(q, r, dq, dr)};
}

std::string QrOp::attributes() const { return attribute("full_matrices", mode == QrMode::complete); }

// --- Cholesky

Tensor cholesky(const Tensor& x, bool upper) {
  const Tensor lower = call<CholeskyOp>({x}, true);
  return upper ? matrix_transpose(lower) : lower;
}

std::vector<TensorSpec> CholeskyOp::infer(std::span<const TensorSpec> inputs) const {
  require_square_matrix(inputs[0], name());
  return {inputs[0]};
}

std::vector<Tensor> CholeskyOp::gradient(const GradientArguments& arguments) const {
  const Tensor& lower = arguments.outputs[0];
  const Tensor middle = halved_lower_triangle(matmul(lower, arguments.output_gradients[0], true));
  const Tensor left = call<TriangularSolveOp>({lower, middle}, true, true);
  const Tensor both = call<TriangularSolveOp>({lower, matrix_transpose(left)}, true, true);
  return {(both + matrix_transpose(both)) * 0.5};
}

std::string CholeskyOp::attributes() const { return attribute("throws", throws); }

// --- LU

LuFactors lu_factor(const Tensor& x) {
  const std::vector<Tensor> outputs = call_many<LuOp>({x});
  return {outputs[0], outputs[1]};
}

std::vector<TensorSpec> LuOp::infer(std::span<const TensorSpec> inputs) const {
  const TensorSpec& x = inputs[0];
  require_matrix(x, name());
  try {
    require_square_matrix(x, name());
  } catch (const ValueError& error) {
    throw ValueError("LU decomposition failed: " + std::string(error.what()) +
                     ". LU decomposition is only supported for square matrices in Tensorflow.");
  }
  return {x, {x.shape.slice(0, x.shape.rank() - 1), DType::int32}};
}

std::vector<Tensor> LuOp::gradient(const GradientArguments& arguments) const {
  const Tensor& lu = arguments.outputs[0];
  const Tensor& pivots = arguments.outputs[1];
  const Tensor& dlu = arguments.output_gradients[0];
  const Tensor lower = tril(lu, -1) + identity_of(lu.shape().at(-1), lu);
  const Tensor upper = triu(lu);
  const Tensor middle = tril(matmul(lower, tril(dlu, -1), true), -1) + triu(matmul(triu(dlu), upper, false, true));
  const Tensor left = call<TriangularSolveOp>({lower, middle}, true, true);
  const Tensor permuted = times_inverse_transpose(left, upper);
  return {take_along_axis(permuted, broadcast_to(expand_dims(pivots, -1), lu.shape()), -2)};
}

// --- Eigenvalues

SymmetricEigen eigh(const Tensor& x) {
  const std::vector<Tensor> outputs = call_many<SelfAdjointEigenOp>({x});
  return {outputs[0], outputs[1]};
}

std::vector<TensorSpec> SelfAdjointEigenOp::infer(std::span<const TensorSpec> inputs) const {
  const TensorSpec& x = inputs[0];
  require_square_matrix(x, name());
  return {{x.shape.slice(0, x.shape.rank() - 1), x.dtype}, x};
}

std::vector<Tensor> SelfAdjointEigenOp::gradient(const GradientArguments& arguments) const {
  const Tensor& values = arguments.outputs[0];
  const Tensor& vectors = arguments.outputs[1];
  const Tensor& dvalues = arguments.output_gradients[0];
  const Tensor& dvectors = arguments.output_gradients[1];
  Tensor inner = diagonal_matrices(one_of_them(dvalues, values));
  if (!dvectors.is_empty()) inner = inner + reciprocal_differences(values) * matmul(vectors, dvectors, true);
  const Tensor whole = matmul(matmul(vectors, inner), vectors, false, true);
  return {halved_lower_triangle(whole + matrix_transpose(whole))};
}

ComplexEigen eig(const Tensor& x) {
  const std::vector<Tensor> outputs = call_many<EigenOp>({x});
  return {{outputs[0], outputs[1]}, {outputs[2], outputs[3]}};
}

std::vector<TensorSpec> EigenOp::infer(std::span<const TensorSpec> inputs) const {
  const TensorSpec& x = inputs[0];
  require_square_matrix(x, name());
  const TensorSpec values{x.shape.slice(0, x.shape.rank() - 1), x.dtype};
  return {values, values, x, x};
}

// --- Singular values

SingularValues svd(const Tensor& x, bool full_matrices) {
  const std::vector<Tensor> outputs = call_many<SvdOp>({x}, full_matrices);
  return {outputs[0], outputs[1], outputs[2]};
}

Tensor svdvals(const Tensor& x) { return call<SvdOp>({x}, false, false); }

std::vector<TensorSpec> SvdOp::infer(std::span<const TensorSpec> inputs) const {
  const TensorSpec& x = inputs[0];
  require_matrix(x, name());
  const std::int64_t rows = x.shape.at(-2);
  const std::int64_t columns = x.shape.at(-1);
  const std::int64_t shorter = std::min(rows, columns);
  const int rank = x.shape.rank();
  const TensorSpec values{x.shape.slice(0, rank - 1).with(rank - 2, shorter), x.dtype};
  if (!has_vectors) return {values};
  return {{x.shape.with(-1, full_matrices ? rows : shorter), x.dtype},
          values,
          {x.shape.with(-2, full_matrices ? columns : shorter).with(-1, columns), x.dtype}};
}

std::vector<Tensor> SvdOp::gradient(const GradientArguments& arguments) const {
  const Tensor& x = arguments.inputs[0];
  if (!has_vectors) {
    const SingularValues thin = svd(x, false);
    return {matmul(thin.u * expand_dims(arguments.output_gradients[0], -2), thin.vh)};
  }
  const std::int64_t rows = x.shape().at(-2);
  const std::int64_t columns = x.shape().at(-1);
  const Tensor& du = arguments.output_gradients[0];
  const Tensor& dvh = arguments.output_gradients[2];
  const Tensor& s = arguments.outputs[1];
  const Tensor ds = one_of_them(arguments.output_gradients[1], s);
  if (!full_matrices || rows == columns) {
    return {singular_vector_gradient(arguments.outputs[0], s, arguments.outputs[2], du, ds, dvh)};
  }
  if (!du.is_empty() || !dvh.is_empty()) {
    throw NotImplementedError(
        "The singular vectors have no derivative with `full_matrices=True` for matrices that are not square. "
        "Received: shape " +
        x.shape().to_string());
  }
  const std::int64_t shorter = std::min(rows, columns);
  const Tensor u = slice_axis(arguments.outputs[0], -1, 0, shorter);
  return {matmul(u * expand_dims(ds, -2), slice_axis(arguments.outputs[2], -2, 0, shorter))};
}

std::string SvdOp::attributes() const {
  return attribute("full_matrices", full_matrices) + ", " + attribute("compute_uv", has_vectors);
}

}  // namespace ops
}  // namespace rhyton
