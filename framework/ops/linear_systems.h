#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/linear_algebra.h>

// Systems of linear equations, inverses and determinants of the matrices in the last two axes of tensors of a floating
// dtype; the axes in front of them are batches. Where no other error is named, a function throws ValueError in Keras's
// words for shapes that do not fit. All derivatives are made of ops and can be differentiated again.

namespace rhyton {
inline namespace ops {

// --- Systems

/// The solution x of a x = b for square matrices a [..., M, M] and b [..., M, N], or [..., M] with one axis less than
/// a. Different dtypes are converted to one. Throws InvalidArgumentError when the batches differ, and, when it is
/// computed, for a singular matrix. (keras.ops.solve)
Tensor solve(const Tensor& a, const Tensor& b);
/// The same for triangular matrices: of `a` only the upper triangle is read, with `lower` the lower one. Batches are
/// broadcast. A 0 on the diagonal makes infinities and NaN. (keras.ops.solve_triangular)
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool lower = false);
/// The x of the smallest norm that minimizes |a x - b|, for a matrix a [M, N] of any rank and b [M] or [M, K]: [N] or
/// [N, K]. Singular values below `rcond` times the largest one count as 0, by default epsilon · max(M, N) and, for a
/// negative one, epsilon. Throws TypeError for other ranks. (keras.ops.lstsq; of a matrix of zeros, for which Keras on
/// TensorFlow gives NaN, the solution is 0)
Tensor lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond = std::nullopt);

// --- Inverses

/// The inverse of square matrices [..., M, M]. Throws InvalidArgumentError, when it is computed, for a singular one.
/// (keras.ops.inv)
Tensor inv(const Tensor& x);
/// The inverse of L Lᵀ from its Cholesky factor L [..., M, M], with `upper` that of Rᵀ R from R.
/// (keras.ops.cholesky_inverse)
Tensor cholesky_inverse(const Tensor& x, bool upper = false);
/// The pseudoinverse [..., N, M] of matrices [..., M, N] by Moore and Penrose. Singular values up to `rcond` times the
/// largest one of the matrix count as 0, by default 10 · epsilon · max(M, N). The derivative is that for constant rank
/// (Golub and Pereyra, 1973). (keras.ops.pinv)
Tensor pinv(const Tensor& x, std::optional<double> rcond = std::nullopt);

// --- Determinants and ranks

/// The determinants [...] of square matrices [..., M, M]. The gradient exists for invertible matrices.
/// (keras.ops.det)
Tensor det(const Tensor& x);

/// The result of `slogdet`.
struct SignAndLogDeterminant {
  /// [...]: 1, -1, or 0 of a singular matrix.
  Tensor sign;
  /// [...]: the logarithm of the determinant's absolute value, -infinity of a singular matrix.
  Tensor logabsdet;
};

/// Sign and logarithm of the determinants of square matrices [..., M, M], without overflow. Throws InvalidArgumentError
/// for matrices that are not square. (keras.ops.slogdet)
SignAndLogDeterminant slogdet(const Tensor& x);
/// The logarithms [...] of the determinants of symmetric, positive definite matrices [..., M, M]; NaN of others. Throws
/// InvalidArgumentError for matrices that are not square. (keras.ops.logdet)
Tensor logdet(const Tensor& x);
/// int32 [...]: the number of singular values above `tol`, by default epsilon · max(M, N) times the largest one, of
/// matrices [..., M, N]. No gradient. (keras.ops.matrix_rank)
Tensor matrix_rank(const Tensor& x, std::optional<double> tol = std::nullopt);

// --- The ops that kernels know

/// Inputs a [..., M, M], b [..., M, N] of equal batches; output x with a x = b, with `transpose` aᵀ x = b.
class SolveOp final : public MatricesOp {
 public:
  explicit SolveOp(bool transpose = false) : transpose(transpose) {}
  std::string_view name() const override { return "MatrixSolve"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;

  const bool transpose;
};

/// The same with one triangle of a.
class TriangularSolveOp final : public MatricesOp {
 public:
  explicit TriangularSolveOp(bool lower, bool transpose = false) : lower(lower), transpose(transpose) {}
  std::string_view name() const override { return "MatrixTriangularSolve"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;

  const bool lower;
  const bool transpose;
};

/// Input x; output its inverse.
class InverseOp final : public MatricesOp {
 public:
  std::string_view name() const override { return "MatrixInverse"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
};

/// Input x; output its pseudoinverse. Singular values up to `rcond` times the largest one count as 0; with
/// `keeps_limit` those below it.
class PseudoInverseOp final : public MatricesOp {
 public:
  explicit PseudoInverseOp(double rcond, bool keeps_limit = false) : rcond(rcond), keeps_limit(keeps_limit) {}
  std::string_view name() const override { return "PseudoInverse"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;

  const double rcond;
  const bool keeps_limit;
};

/// Input x; output its determinant.
class DeterminantOp final : public MatricesOp {
 public:
  std::string_view name() const override { return "MatrixDeterminant"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
};

/// Input x; outputs {sign, logarithm of the absolute value} of its determinant.
class LogDeterminantOp final : public MatricesOp {
 public:
  std::string_view name() const override { return "LogMatrixDeterminant"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
};

}  // namespace ops
}  // namespace rhyton
