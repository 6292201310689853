// Singular values and pseudoinverses by Eigen. What an iteration does not find, for matrices with NaN or infinities, is
// NaN.

#include <Eigen/SVD>
#include <cstdint>

#include <rhyton/framework/backends/cpu/linear_algebra/matrices.h>
#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/framework/ops/linear_systems.h>

namespace rhyton::cpu {
namespace {

template <class T>
using SingularValueDecomposition = Eigen::BDCSVD<ColumnMatrix<T>>;

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
void add_singular_values_for(KernelTable& table) {
  table.add("Svd", dtype_of<T>, {.run = &find_singular_values<T>});
  table.add("PseudoInverse", dtype_of<T>, {.run = &find_pseudoinverses<T>});
}

}  // namespace

void add_singular_values(KernelTable& table) {
  add_singular_values_for<float>(table);
  add_singular_values_for<double>(table);
}

}  // namespace rhyton::cpu
