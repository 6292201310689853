// Cholesky and LU decompositions by Eigen.

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cstdint>

#include <rhyton/framework/backends/cpu/linear_algebra/matrices.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/linear_algebra.h>

namespace rhyton::cpu {
namespace {

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
void add_factorizations_for(KernelTable& table) {
  table.add("Cholesky", dtype_of<T>, {.run = &decompose_by_cholesky<T>});
  table.add("Lu", dtype_of<T>, {.run = &decompose_by_lu<T>});
}

}  // namespace

void add_factorizations(KernelTable& table) {
  add_factorizations_for<float>(table);
  add_factorizations_for<double>(table);
}

}  // namespace rhyton::cpu
