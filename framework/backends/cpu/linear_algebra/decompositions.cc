// Decompositions by Eigen: Cholesky, LU, eigenvalues, singular values. Numbers that an iteration does not find, for
// matrices with NaN or infinities, are NaN.

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <limits>

#include <rhyton/framework/backends/cpu/linear_algebra/matrices.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/framework/ops/linear_systems.h>

namespace rhyton::cpu {
namespace {

template <class T>
constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

template <class T>
void decompose_by_cholesky(const KernelArguments& arguments) {
  const Matrices<T> x(arguments.inputs[0]);
  const Matrices<T> lower(arguments.outputs[0]);
  if (x.rows() == 0) return;
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    const Eigen::LLT<Matrix<T>> decomposition(x[i]);
    if (decomposition.info() == Eigen::Success) {
      lower[i] = decomposition.matrixL();
      if (lower[i].allFinite()) continue;
    }
    if (arguments.attributes<CholeskyOp>().throws) {
      throw ValueError("Cholesky decomposition failed: the matrix is not positive definite.");
    }
    lower[i].setConstant(not_a_number<T>);
  }
}

template <class T>
void decompose_by_lu(const KernelArguments& arguments) {
  const Matrices<T> x(arguments.inputs[0]);
  const Matrices<T> lu(arguments.outputs[0]);
  const Vectors<std::int32_t> pivots(arguments.outputs[1]);
  if (x.rows() == 0) return;
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    const Eigen::PartialPivLU<Matrix<T>> decomposition(x[i]);
    lu[i] = decomposition.matrixLU();
    if (!is_invertible(lu[i])) throw InvalidArgumentError("Input is not invertible.");
    pivots[i] = decomposition.permutationP().indices().template cast<std::int32_t>();
  }
}

template <class T>
void find_eigenvalues(const KernelArguments& arguments) {
  const Matrices<T> x(arguments.inputs[0]);
  const Vectors<T> values(arguments.outputs[0]);
  const Matrices<T> vectors(arguments.outputs[1]);
  if (x.rows() == 0) return;
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    const Eigen::SelfAdjointEigenSolver<Matrix<T>> solver(x[i]);
    if (solver.info() == Eigen::Success) {
      values[i] = solver.eigenvalues();
      vectors[i] = solver.eigenvectors();
    } else {
      values[i].setConstant(not_a_number<T>);
      vectors[i].setConstant(not_a_number<T>);
    }
  }
}

template <class T>
void find_complex_eigenvalues(const KernelArguments& arguments) {
  const Matrices<T> x(arguments.inputs[0]);
  if (x.rows() == 0) return;
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    auto real_values = Vectors<T>(arguments.outputs[0])[i];
    auto imaginary_values = Vectors<T>(arguments.outputs[1])[i];
    auto real_vectors = Matrices<T>(arguments.outputs[2])[i];
    auto imaginary_vectors = Matrices<T>(arguments.outputs[3])[i];
    Eigen::EigenSolver<Matrix<T>> solver;
    const bool is_finite = x[i].allFinite();
    if (is_finite) solver.compute(x[i]);
    if (is_finite && solver.info() == Eigen::Success) {
      const typename Eigen::EigenSolver<Matrix<T>>::EigenvectorsType vectors = solver.eigenvectors();
      real_values = solver.eigenvalues().real();
      imaginary_values = solver.eigenvalues().imag();
      real_vectors = vectors.real();
      imaginary_vectors = vectors.imag();
    } else {
      real_values.setConstant(not_a_number<T>);
      imaginary_values.setConstant(not_a_number<T>);
      real_vectors.setConstant(not_a_number<T>);
      imaginary_vectors.setConstant(not_a_number<T>);
    }
  }
}

template <class T>
using SingularValueDecomposition = Eigen::BDCSVD<Matrix<T>>;

template <class T>
void find_singular_values(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<SvdOp>();
  const Matrices<T> x(arguments.inputs[0]);
  const Vectors<T> values(arguments.outputs[op.has_vectors ? 1 : 0]);
  const bool is_empty = x.rows() == 0 || x.columns() == 0;
  const unsigned vectors = op.full_matrices ? unsigned{Eigen::ComputeFullU} | unsigned{Eigen::ComputeFullV}
                                            : unsigned{Eigen::ComputeThinU} | unsigned{Eigen::ComputeThinV};
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  SingularValueDecomposition<T> decomposition;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!is_empty) decomposition.compute(x[i], op.has_vectors ? vectors : 0U);
    const bool is_found = !is_empty && decomposition.info() == Eigen::Success;
    if (is_found) {
      values[i] = decomposition.singularValues();
    } else {
      values[i].setConstant(not_a_number<T>);
    }
    if (!op.has_vectors) continue;
    auto left = Matrices<T>(arguments.outputs[0])[i];
    auto right = Matrices<T>(arguments.outputs[2])[i];
    if (is_empty) {
      left.setIdentity();
      right.setIdentity();
    } else if (is_found) {
      left = decomposition.matrixU();
      right = decomposition.matrixV().transpose();
    } else {
      left.setConstant(not_a_number<T>);
      right.setConstant(not_a_number<T>);
    }
  }
}

template <class T>
void find_pseudoinverses(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<PseudoInverseOp>();
  const Matrices<T> x(arguments.inputs[0]);
  const Matrices<T> inverse(arguments.outputs[0]);
  if (x.rows() == 0 || x.columns() == 0) return;
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  SingularValueDecomposition<T> decomposition;
  for (std::int64_t i = 0; i < count; ++i) {
    decomposition.compute(x[i], unsigned{Eigen::ComputeThinU} | unsigned{Eigen::ComputeThinV});
    if (decomposition.info() != Eigen::Success) {
      inverse[i].setConstant(not_a_number<T>);
      continue;
    }
    Eigen::Matrix<T, Eigen::Dynamic, 1> factors = decomposition.singularValues();
    const T limit = static_cast<T>(op.rcond) * factors[0];
    for (T& factor : factors) {
      const bool counts = factor > limit || (op.keeps_limit && factor == limit && factor > T());
      factor = counts ? T(1) / factor : T();
    }
    inverse[i].noalias() = (decomposition.matrixV() * factors.asDiagonal()) * decomposition.matrixU().transpose();
  }
}

template <class T>
void add_decompositions_for(KernelTable& table) {
  table.add("Cholesky", dtype_of<T>, {.run = &decompose_by_cholesky<T>});
  table.add("Lu", dtype_of<T>, {.run = &decompose_by_lu<T>});
  table.add("SelfAdjointEig", dtype_of<T>, {.run = &find_eigenvalues<T>});
  table.add("Eig", dtype_of<T>, {.run = &find_complex_eigenvalues<T>});
  table.add("Svd", dtype_of<T>, {.run = &find_singular_values<T>});
  table.add("PseudoInverse", dtype_of<T>, {.run = &find_pseudoinverses<T>});
}

}  // namespace

void add_decompositions(KernelTable& table) {
  add_decompositions_for<float>(table);
  add_decompositions_for<double>(table);
}

}  // namespace rhyton::cpu
