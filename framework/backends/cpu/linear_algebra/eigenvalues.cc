// Eigenvalues and eigenvectors by Eigen. What an iteration does not find, for matrices with NaN or infinities, is NaN.

#include <Eigen/Eigenvalues>
#include <cstdint>

#include <rhyton/framework/backends/cpu/linear_algebra/matrices.h>
#include <rhyton/framework/ops/linear_algebra.h>

namespace rhyton::cpu {
namespace {

template <class T>
void find_eigenvalues(const KernelArguments& arguments) {
  const Matrices<T> x(arguments.inputs[0]);
  const Vectors<T> values(arguments.outputs[0]);
  const Matrices<T> vectors(arguments.outputs[1]);
  if (x.rows() == 0) return;
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    const Eigen::SelfAdjointEigenSolver<ColumnMatrix<T>> solver(x[i]);
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
    Eigen::EigenSolver<ColumnMatrix<T>> solver;
    const bool is_finite = x[i].allFinite();
    if (is_finite) solver.compute(x[i]);
    if (is_finite && solver.info() == Eigen::Success) {
      const typename Eigen::EigenSolver<ColumnMatrix<T>>::EigenvectorsType vectors = solver.eigenvectors();
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
void add_eigenvalues_for(KernelTable& table) {
  table.add("SelfAdjointEig", dtype_of<T>, {.run = &find_eigenvalues<T>});
  table.add("Eig", dtype_of<T>, {.run = &find_complex_eigenvalues<T>});
}

}  // namespace

void add_eigenvalues(KernelTable& table) {
  add_eigenvalues_for<float>(table);
  add_eigenvalues_for<double>(table);
}

}  // namespace rhyton::cpu
