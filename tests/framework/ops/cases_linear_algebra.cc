#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/framework/ops/linear_systems.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

/// x and a diagonal of 4, 8, 12 …: singular values are far from 0 and from each other.
Tensor separated(const Tensor& x) {
  const std::int64_t rows = x.shape().at(-2);
  const std::int64_t columns = x.shape().at(-1);
  const Tensor diagonal = eye(rows, columns, 0, x.dtype()) * arange(1, columns + 1, 1, x.dtype()) * 4.0;
  return x + diagonal;
}

/// The same, symmetric: positive definite.
Tensor symmetric(const Tensor& x) {
  const Tensor y = separated(x);
  return (y + matrix_transpose(y)) * 0.5;
}

Case of_matrices(const std::string& name, const Shape& shape, std::function<Inputs(const Tensor&)> call) {
  return {.name = name,
          .call = [call = std::move(call)](const Inputs& x) { return call(x[0]); },
          .inputs = {{.shape = shape, .lowest = -1.0, .highest = 1.0}},
          .tolerance = 1e-5,
          .half_tolerance = 8.0};
}

Case of_systems(const std::string& name, const Shape& a, const Shape& b,
                std::function<Tensor(const Tensor&, const Tensor&)> call) {
  return {.name = name,
          .call = [call = std::move(call)](const Inputs& x) { return one(call(separated(x[0]), x[1])); },
          .inputs = {{.shape = a, .lowest = -1.0, .highest = 1.0}, {.shape = b}},
          .tolerance = 1e-5,
          .half_tolerance = 8.0};
}

Inputs qr_of(const Tensor& x, QrMode mode) {
  const auto [q, r] = qr(separated(x), mode);
  return {q, r};
}

Inputs svd_of(const Tensor& x, bool full_matrices) {
  const auto [u, s, vh] = svd(separated(x), full_matrices);
  return {u, s, vh};
}

std::vector<Case> decomposition_cases() {
  std::vector<Case> cases = {
      of_matrices("qr_tall", {2, 5, 3}, [](const Tensor& x) { return qr_of(x, QrMode::reduced); }),
      of_matrices("qr_square", {3, 3}, [](const Tensor& x) { return qr_of(x, QrMode::reduced); }),
      of_matrices("qr_wide", {3, 5}, [](const Tensor& x) { return qr_of(x, QrMode::reduced); }),
      of_matrices("qr_complete_wide", {2, 2, 3}, [](const Tensor& x) { return qr_of(x, QrMode::complete); }),
      of_matrices("qr_of_r", {4, 3}, [](const Tensor& x) { return one(qr(separated(x)).second); }),
      of_matrices("cholesky", {2, 3, 3}, [](const Tensor& x) { return one(cholesky(symmetric(x))); }),
      of_matrices("cholesky_upper", {3, 3}, [](const Tensor& x) { return one(cholesky(symmetric(x), true)); }),
      of_matrices("lu_factor", {2, 3, 3},
                  [](const Tensor& x) {
                    const auto [lu, pivots] = lu_factor(roll(separated(x), 1, -2));
                    return Inputs{lu, pivots};
                  }),
      of_matrices("eigh", {2, 3, 3},
                  [](const Tensor& x) {
                    const auto [eigenvalues, eigenvectors] = eigh(symmetric(x));
                    return Inputs{eigenvalues, eigenvectors};
                  }),
      // Only the lower triangle counts.
      of_matrices("eigenvalues", {3, 3}, [](const Tensor& x) { return one(eigh(separated(x)).eigenvalues); }),
      of_matrices("svd_tall", {2, 4, 3}, [](const Tensor& x) { return svd_of(x, false); }),
      of_matrices("svd_wide", {3, 5}, [](const Tensor& x) { return svd_of(x, false); }),
      of_matrices("svd_square", {3, 3}, [](const Tensor& x) { return svd_of(x, true); }),
      of_matrices("svd_right_vectors", {4, 2}, [](const Tensor& x) { return one(svd(separated(x), false).vh); }),
      of_matrices("svdvals", {2, 2, 4}, [](const Tensor& x) { return one(svdvals(separated(x))); }),
  };
  Case complete =
      of_matrices("qr_complete_tall", {2, 4, 2}, [](const Tensor& x) { return qr_of(x, QrMode::complete); });
  complete.derivatives = 0;
  cases.push_back(complete);
  // Its gradient depends on vectors that have none.
  Case full_values =
      of_matrices("svd_full_values", {2, 2, 4}, [](const Tensor& x) { return one(svd(separated(x)).s); });
  full_values.derivatives = 1;
  cases.push_back(full_values);
  return cases;
}

std::vector<Case> system_cases() {
  return {
      of_systems("solve", {2, 3, 3}, {2, 3, 2}, [](const Tensor& a, const Tensor& b) { return solve(a, b); }),
      of_systems("solve_vector", {2, 3, 3}, {2, 3}, [](const Tensor& a, const Tensor& b) { return solve(a, b); }),
      of_systems("solve_upper_triangle", {2, 3, 3}, {2, 3, 2},
                 [](const Tensor& a, const Tensor& b) { return solve_triangular(a, b); }),
      of_systems("solve_lower_triangle", {3, 3}, {3},
                 [](const Tensor& a, const Tensor& b) { return solve_triangular(a, b, true); }),
      of_systems("solve_broadcast_triangles", {2, 1, 2, 2}, {1, 3, 2, 2},
                 [](const Tensor& a, const Tensor& b) { return solve_triangular(a, b, true); }),
      of_systems("lstsq_tall", {4, 2}, {4, 3}, [](const Tensor& a, const Tensor& b) { return lstsq(a, b); }),
      of_systems("lstsq_wide", {2, 4}, {2}, [](const Tensor& a, const Tensor& b) { return lstsq(a, b); }),
      of_matrices("inv", {2, 3, 3}, [](const Tensor& x) { return one(inv(separated(x))); }),
      of_matrices("cholesky_inverse", {2, 3, 3}, [](const Tensor& x) { return one(cholesky_inverse(separated(x))); }),
      of_matrices("cholesky_inverse_upper", {3, 3},
                  [](const Tensor& x) { return one(cholesky_inverse(separated(x), true)); }),
      of_matrices("pinv_tall", {2, 4, 3}, [](const Tensor& x) { return one(pinv(separated(x))); }),
      of_matrices("pinv_wide", {2, 3}, [](const Tensor& x) { return one(pinv(separated(x))); }),
      of_matrices("det", {2, 3, 3}, [](const Tensor& x) { return one(det(separated(x) * 0.25)); }),
      of_matrices("slogdet", {2, 3, 3},
                  [](const Tensor& x) {
                    const auto [sign, logabsdet] = slogdet(flip(separated(x), -1));
                    return Inputs{sign, logabsdet};
                  }),
      of_matrices("logdet", {2, 3, 3}, [](const Tensor& x) { return one(logdet(symmetric(x))); }),
      of_matrices("norm_of_singular_values", {2, 3, 4},
                  [](const Tensor& x) {
                    return Inputs{norm(separated(x), 2, {1, 2}), norm(separated(x), "nuc", {2, 1}, true)};
                  }),
  };
}

}  // namespace

std::vector<Case> linear_algebra_cases() {
  std::vector<Case> cases = decomposition_cases();
  for (const Case& test : system_cases()) cases.push_back(test);
  Case rank = of_matrices("matrix_rank", {2, 3, 4}, [](const Tensor& x) { return one(matrix_rank(separated(x))); });
  rank.derivatives = 0;
  cases.push_back(rank);
  // In which order eigenvalues come, and which factor of size 1 vectors have, depends on the precision.
  Case eigen = of_matrices("eig", {2, 3, 3}, [](const Tensor& x) {
    const std::pair<Tensor, Tensor> values = eig(separated(x)).eigenvalues;
    return Inputs{sort(values.first), sort(values.second)};
  });
  eigen.derivatives = 0;
  cases.push_back(eigen);
  return cases;
}

}  // namespace rhyton::conformance
