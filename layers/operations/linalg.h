#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/symbolic_tensor.h>

// The linear algebra of keras.ops on symbolic tensors: operations of a functional model. Each has the parameters of the
// function of tensors and throws as it does, where the lengths are known. Other arguments that may be tensors are
// constants of the model if they are not symbolic.

namespace rhyton {
inline namespace ops {

// --- Norms

/// The norm of vectors (one axis) or matrices (two axes) of that order.
layers::SymbolicTensor norm(const layers::SymbolicTensor& x, std::optional<double> ord = std::nullopt,
                            const std::vector<int>& axes = {}, bool keepdims = false);
/// The same for an order that is given. Templates, so that `{}` is no order rather than the number 0.
template <class Number>
requires std::is_arithmetic_v<Number> layers::SymbolicTensor norm(const layers::SymbolicTensor& x, Number ord,
                                                                  const std::vector<int>& axes = {},
                                                                  bool keepdims = false) {
  return norm(x, std::optional<double>(static_cast<double>(ord)), axes, keepdims);
}
layers::SymbolicTensor norm_by_name(const layers::SymbolicTensor& x, std::string_view ord,
                                    const std::vector<int>& axes = {}, bool keepdims = false);
template <class Name>
requires std::convertible_to<const Name&, std::string_view> layers::SymbolicTensor norm(
    const layers::SymbolicTensor& x, const Name& ord, const std::vector<int>& axes = {}, bool keepdims = false) {
  return norm_by_name(x, ord, axes, keepdims);
}

// --- Decompositions of the matrices in the last two axes

/// The QR decomposition.
std::pair<layers::SymbolicTensor, layers::SymbolicTensor> qr(const layers::SymbolicTensor& x,
                                                             QrMode mode = QrMode::reduced);
/// The lower triangle L with x = L Lᵀ, with `upper` Lᵀ.
layers::SymbolicTensor cholesky(const layers::SymbolicTensor& x, bool upper = false);

/// The result of `lu_factor`.
struct SymbolicLuFactors {
  layers::SymbolicTensor lu;
  /// int32: row i of x is row pivots[i] of L U.
  layers::SymbolicTensor pivots;
};
/// The LU decomposition with exchanges of rows.
SymbolicLuFactors lu_factor(const layers::SymbolicTensor& x);

/// The result of `eigh`.
struct SymbolicEigen {
  layers::SymbolicTensor eigenvalues;
  layers::SymbolicTensor eigenvectors;
};
/// Eigenvalues and eigenvectors of symmetric matrices.
SymbolicEigen eigh(const layers::SymbolicTensor& x);

/// The result of `svd`.
struct SymbolicSingularValues {
  layers::SymbolicTensor u;
  layers::SymbolicTensor s;
  layers::SymbolicTensor vh;
};
/// The singular value decomposition x = u diag(s) vh.
SymbolicSingularValues svd(const layers::SymbolicTensor& x, bool full_matrices = true);
/// The singular values alone.
layers::SymbolicTensor svdvals(const layers::SymbolicTensor& x);

// --- Systems, inverses, determinants

/// The solution x of a x = b.
layers::SymbolicTensor solve(const layers::SymbolicTensor& a, const layers::Argument& b);
layers::SymbolicTensor solve(const Tensor& a, const layers::SymbolicTensor& b);
/// The same for triangular matrices.
layers::SymbolicTensor solve_triangular(const layers::SymbolicTensor& a, const layers::Argument& b, bool lower = false);
layers::SymbolicTensor solve_triangular(const Tensor& a, const layers::SymbolicTensor& b, bool lower = false);
/// The x of the smallest norm that minimizes |a x - b|.
layers::SymbolicTensor lstsq(const layers::SymbolicTensor& a, const layers::Argument& b,
                             std::optional<double> rcond = std::nullopt);
layers::SymbolicTensor lstsq(const Tensor& a, const layers::SymbolicTensor& b,
                             std::optional<double> rcond = std::nullopt);
/// The inverse.
layers::SymbolicTensor inv(const layers::SymbolicTensor& x);
/// The inverse from a Cholesky factor.
layers::SymbolicTensor cholesky_inverse(const layers::SymbolicTensor& x, bool upper = false);
/// The pseudoinverse.
layers::SymbolicTensor pinv(const layers::SymbolicTensor& x, std::optional<double> rcond = std::nullopt);
/// The determinant.
layers::SymbolicTensor det(const layers::SymbolicTensor& x);

/// The result of `slogdet`.
struct SymbolicSignAndLogDeterminant {
  layers::SymbolicTensor sign;
  layers::SymbolicTensor logabsdet;
};
/// Sign and logarithm of the determinant.
SymbolicSignAndLogDeterminant slogdet(const layers::SymbolicTensor& x);
/// The logarithm of the determinant of symmetric, positive definite matrices.
layers::SymbolicTensor logdet(const layers::SymbolicTensor& x);
/// The number of singular values above `tol`, int32.
layers::SymbolicTensor matrix_rank(const layers::SymbolicTensor& x, std::optional<double> tol = std::nullopt);

}  // namespace ops
}  // namespace rhyton
