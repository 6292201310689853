#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/op.h>

// Decompositions of the matrices in the last two axes of a tensor of a floating dtype; the axes in front of them are
// batches. All but `cholesky` and `lu_factor` take any matrix of the shape that they name. Unless it is said
// otherwise the derivatives are made of ops and can be differentiated again. What is composed of decompositions is in
// `linear_systems.h`.

namespace rhyton {
inline namespace ops {

/// Which columns of q a QR decomposition has: as many as the shorter axis, or a whole basis.
enum class QrMode { reduced, complete };

/// The QR decomposition: x [..., M, N] -> q [..., M, K] with orthonormal columns and the upper triangle r [..., K, N],
/// x = q r; K is min(M, N), in mode `complete` M. The signs of r's diagonal are those of LAPACK, not normalised. The
/// derivative needs linearly independent rows or columns; in mode `complete` of more rows than columns there is none.
/// Throws InvalidArgumentError for a rank below 2. (keras.ops.qr, tf.linalg.qr)
std::pair<Tensor, Tensor> qr(const Tensor& x, QrMode mode = QrMode::reduced);

/// The lower triangle L with x = L Lᵀ of symmetric, positive definite matrices [..., M, M], of which only the lower
/// triangle is read; with `upper` Lᵀ. The gradient is symmetric. Throws ValueError for matrices that are not square,
/// and, when it is computed, for one that is not positive definite. (keras.ops.cholesky)
Tensor cholesky(const Tensor& x, bool upper = false);

/// The result of `lu_factor`.
struct LuFactors {
  /// [..., M, M]: U in the upper triangle, L below it; the diagonal of L is 1.
  Tensor lu;
  /// int32 [..., M]: row i of x is row pivots[i] of L U. (As in Keras on TensorFlow: a permutation, not LAPACK's
  /// exchanges.)
  Tensor pivots;
};

/// The LU decomposition of square matrices [..., M, M] with exchanges of rows. Throws ValueError for matrices that are
/// not square, and InvalidArgumentError, when it is computed, for a singular one. (keras.ops.lu_factor)
LuFactors lu_factor(const Tensor& x);

/// The result of `eigh`.
struct SymmetricEigen {
  /// [..., M], ascending.
  Tensor eigenvalues;
  /// [..., M, M]: column i belongs to eigenvalue i.
  Tensor eigenvectors;
};

/// Eigenvalues and orthonormal eigenvectors of symmetric matrices [..., M, M], of which only the lower triangle is
/// read; so the gradient is a lower triangle. That of the eigenvectors of an eigenvalue that occurs twice leaves out
/// the pair. Throws ValueError for matrices that are not square. (keras.ops.eigh)
SymmetricEigen eigh(const Tensor& x);

/// The result of `eig`: complex numbers as pairs of the real and the imaginary part.
struct ComplexEigen {
  /// [..., M] each, in no order.
  std::pair<Tensor, Tensor> eigenvalues;
  /// [..., M, M] each: column i belongs to eigenvalue i and has the length 1.
  std::pair<Tensor, Tensor> eigenvectors;
};

/// Eigenvalues and eigenvectors of square matrices [..., M, M]. It has no derivative. Throws ValueError for matrices
/// that are not square. (keras.ops.eig, whose results are complex tensors)
ComplexEigen eig(const Tensor& x);

/// The result of `svd`.
struct SingularValues {
  /// [..., M, K], K = min(M, N), with `full_matrices` [..., M, M]: columns are left singular vectors.
  Tensor u;
  /// [..., K], descending.
  Tensor s;
  /// [..., K, N], with `full_matrices` [..., N, N]: rows are right singular vectors.
  Tensor vh;
};

/// The singular value decomposition x = u diag(s) vh of matrices [..., M, N]. The gradient of the vectors leaves out
/// pairs of equal singular values; with `full_matrices` of matrices that are not square, only that of s exists.
/// (keras.ops.svd)
SingularValues svd(const Tensor& x, bool full_matrices = true);
/// The singular values alone, [..., min(M, N)]. (keras.ops.svd with compute_uv=False)
Tensor svdvals(const Tensor& x);

/// x with its last two axes exchanged.
Tensor matrix_transpose(const Tensor& x);

// --- The ops that kernels know

/// Ops on matrices: slices of the first axis are independent if it is a batch.
class MatricesOp : public Op {
 public:
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
};

/// Input x; outputs {q, r}.
class QrOp final : public MatricesOp {
 public:
  explicit QrOp(QrMode mode = QrMode::reduced) : mode(mode) {}
  std::string_view name() const override { return "Qr"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;

  const QrMode mode;
};

/// Input x; output the lower triangle. Of a matrix that is not positive definite it is NaN, unless `throws` is set.
class CholeskyOp final : public MatricesOp {
 public:
  explicit CholeskyOp(bool throws) : throws(throws) {}
  std::string_view name() const override { return "Cholesky"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;

  const bool throws;
};

/// Input x; outputs {lu, pivots}.
class LuOp final : public MatricesOp {
 public:
  std::string_view name() const override { return "Lu"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
};

/// Input x; outputs {eigenvalues, eigenvectors}.
class SelfAdjointEigenOp final : public MatricesOp {
 public:
  std::string_view name() const override { return "SelfAdjointEig"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
};

/// Input x; outputs the real and imaginary parts of the eigenvalues, and those of the eigenvectors.
class EigenOp final : public MatricesOp {
 public:
  std::string_view name() const override { return "Eig"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
};

/// Input x; outputs {u, s, vh}, without vectors {s}.
class SvdOp final : public MatricesOp {
 public:
  explicit SvdOp(bool full_matrices, bool has_vectors = true)
      : full_matrices(full_matrices), has_vectors(has_vectors) {}
  std::string_view name() const override { return "Svd"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;

  const bool full_matrices;
  const bool has_vectors;
};

// --- What ops on matrices require

/// Throws ValueError in Keras's words for a rank below 2, for lengths that differ, and InvalidArgumentError for a dtype
/// that is not floating. `op` is the name in that message.
void require_matrix(const TensorSpec& x, std::string_view op);
void require_square_matrix(const TensorSpec& x, std::string_view op);

}  // namespace ops
}  // namespace rhyton
