// Solutions of linear equations, inverses and determinants by Eigen's LU decomposition with exchanges of rows.

#include <Eigen/LU>
#include <cmath>

#include <rhyton/framework/backends/cpu/linear_algebra/matrices.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/linear_systems.h>

namespace rhyton::cpu {
namespace {

template <class T>
void solve_systems(const KernelArguments& arguments) {
  const Matrices<T> a(arguments.inputs[0]);
  const Matrices<T> b(arguments.inputs[1]);
  const Matrices<T> x(arguments.outputs[0]);
  if (a.rows() == 0 || b.columns() == 0) return;
  const bool transpose = arguments.attributes<SolveOp>().transpose;
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    const Eigen::PartialPivLU<Matrix<T>> decomposition(a[i]);
    if (!is_invertible(decomposition.matrixLU())) throw InvalidArgumentError("Input matrix is not invertible.");
    if (transpose) {
      x[i] = decomposition.transpose().solve(b[i]);
    } else {
      x[i] = decomposition.solve(b[i]);
    }
  }
}

template <class T>
void solve_triangular_systems(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<TriangularSolveOp>();
  const Matrices<T> a(arguments.inputs[0]);
  const Matrices<T> b(arguments.inputs[1]);
  const Matrices<T> x(arguments.outputs[0]);
  if (a.rows() == 0 || b.columns() == 0) return;
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    auto solution = x[i];
    const auto matrix = a[i];
    solution = b[i];
    if (op.lower && op.transpose) {
      matrix.transpose().template triangularView<Eigen::Upper>().solveInPlace(solution);
    } else if (op.lower) {
      matrix.template triangularView<Eigen::Lower>().solveInPlace(solution);
    } else if (op.transpose) {
      matrix.transpose().template triangularView<Eigen::Lower>().solveInPlace(solution);
    } else {
      matrix.template triangularView<Eigen::Upper>().solveInPlace(solution);
    }
  }
}

template <class T>
void invert(const KernelArguments& arguments) {
  const Matrices<T> x(arguments.inputs[0]);
  const Matrices<T> inverse(arguments.outputs[0]);
  if (x.rows() == 0) return;
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    const Eigen::PartialPivLU<Matrix<T>> decomposition(x[i]);
    if (!is_invertible(decomposition.matrixLU())) throw InvalidArgumentError("Input is not invertible.");
    inverse[i] = decomposition.inverse();
  }
}

template <class T>
void find_determinants(const KernelArguments& arguments) {
  const Matrices<T> x(arguments.inputs[0]);
  T* const determinants = arguments.outputs[0].as<T>();
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    determinants[i] = x.rows() == 0 ? T(1) : Eigen::PartialPivLU<Matrix<T>>(x[i]).determinant();
  }
}

template <class T>
void find_log_determinants(const KernelArguments& arguments) {
  const Matrices<T> x(arguments.inputs[0]);
  T* const signs = arguments.outputs[0].as<T>();
  T* const logarithms = arguments.outputs[1].as<T>();
  const std::int64_t count = count_of_matrices(arguments.inputs[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    signs[i] = T(1);
    logarithms[i] = T();
    if (x.rows() == 0) continue;
    const Eigen::PartialPivLU<Matrix<T>> decomposition(x[i]);
    bool is_negative = decomposition.permutationP().determinant() < 0;
    bool is_singular = false;
    for (const T pivot : decomposition.matrixLU().diagonal()) {
      is_negative = is_negative != (pivot < T());
      is_singular = is_singular || pivot == T();
      logarithms[i] += std::log(std::abs(pivot));
    }
    if (is_singular) {
      signs[i] = T();
    } else if (is_negative) {
      signs[i] = T(-1);
    }
  }
}

template <class T>
void add_systems_for(KernelTable& table) {
  table.add("MatrixSolve", dtype_of<T>, {.run = &solve_systems<T>});
  table.add("MatrixTriangularSolve", dtype_of<T>, {.run = &solve_triangular_systems<T>});
  table.add("MatrixInverse", dtype_of<T>, {.run = &invert<T>});
  table.add("MatrixDeterminant", dtype_of<T>, {.run = &find_determinants<T>});
  table.add("LogMatrixDeterminant", dtype_of<T>, {.run = &find_log_determinants<T>});
}

}  // namespace

void add_linear_systems(KernelTable& table) {
  add_systems_for<float>(table);
  add_systems_for<double>(table);
}

}  // namespace rhyton::cpu
