// The linear algebra of keras.ops on symbolic tensors.

#include <rhyton/layers/operations/linalg.h>

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/linear_systems.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

Operation of_matrices(const char* class_name, Tensor (*function)(const Tensor&)) {
  return {class_name, "ops.linalg", {"x"}, {}, computes(function)};
}

QrMode qr_mode_from_name(const std::string& mode) {
  if (mode == "reduced") return QrMode::reduced;
  if (mode == "complete") return QrMode::complete;
  throw ValueError("`mode` argument value not supported. Expected one of {'reduced', 'complete'}. Received: mode=" +
                   mode);
}

std::vector<Tensor> singular_values(const Tensor& x, bool full_matrices, bool compute_uv) {
  if (!compute_uv) return {svdvals(x)};
  const auto [u, s, vh] = svd(x, full_matrices);
  return {u, s, vh};
}

}  // namespace

std::vector<Operation> linalg_operations() {
  const std::string module = "ops.linalg";
  return {
      {"Norm",
       module,
       {"x"},
       {{"ord", {}}, {"axis", {}}, {"keepdims", false}},
       computes([](const Tensor& x, const Argument& ord, const std::vector<int>& axes, bool keepdims) {
         if (ord.is_string()) return norm(x, std::string_view(ord.string()), axes, keepdims);
         return norm(x, ArgumentValue<std::optional<double>>::from(ord), axes, keepdims);
       })},
      {"Qr", module, {"x"}, {{"mode", "reduced"}}, computes([](const Tensor& x, const std::string& mode) {
         return qr(x, qr_mode_from_name(mode));
       })},
      {"Cholesky", module, {"x"}, {{"upper", false}}, computes([](const Tensor& x, bool upper) {
         return cholesky(x, upper);
       })},
      {"CholeskyInverse", module, {"x"}, {{"upper", false}}, computes([](const Tensor& x, bool upper) {
         return cholesky_inverse(x, upper);
       })},
      {"LuFactor", module, {"x"}, {}, computes([](const Tensor& x) {
         const auto [lu, pivots] = lu_factor(x);
         return std::vector<Tensor>{lu, pivots};
       })},
      {"Eigh", module, {"x"}, {}, computes([](const Tensor& x) {
         const auto [eigenvalues, eigenvectors] = eigh(x);
         return std::vector<Tensor>{eigenvalues, eigenvectors};
       })},
      {"SVD", module, {"x"}, {{"full_matrices", true}, {"compute_uv", true}}, computes(singular_values)},
      {"Solve", module, {"a", "b"}, {}, computes([](const Tensor& a, const Tensor& b) { return solve(a, b); })},
      {"SolveTriangular",
       module,
       {"a", "b"},
       {{"lower", false}},
       computes([](const Tensor& a, const Tensor& b, bool lower) { return solve_triangular(a, b, lower); })},
      {"Lstsq",
       module,
       {"a", "b"},
       {{"rcond", {}}},
       computes([](const Tensor& a, const Tensor& b, std::optional<double> rcond) { return lstsq(a, b, rcond); })},
      of_matrices("Inv", [](const Tensor& x) { return inv(x); }),
      {"Pinv", module, {"x"}, {{"rcond", {}}}, computes([](const Tensor& x, std::optional<double> rcond) {
         return pinv(x, rcond);
       })},
      of_matrices("Det", [](const Tensor& x) { return det(x); }),
      {"MatrixRank", module, {"x"}, {{"tol", {}}}, computes([](const Tensor& x, std::optional<double> tol) {
         return matrix_rank(x, tol);
       })},
      {"Slogdet", "ops.numpy", {"x"}, {}, computes([](const Tensor& x) {
         const auto [sign, logabsdet] = slogdet(x);
         return std::vector<Tensor>{sign, logabsdet};
       })},
      {"Logdet", "ops.math", {"x"}, {}, computes([](const Tensor& x) { return logdet(x); })},
  };
}

}  // namespace layers

inline namespace ops {

using layers::Argument;
using layers::argument_of;
using layers::call_operation;
using layers::operation_output;
using layers::SymbolicTensor;

SymbolicTensor norm(const SymbolicTensor& x, std::optional<double> ord, const std::vector<int>& axes, bool keepdims) {
  return operation_output("Norm", {x}, {argument_of(ord), argument_of(axes), keepdims});
}
SymbolicTensor norm_by_name(const SymbolicTensor& x, std::string_view ord, const std::vector<int>& axes,
                            bool keepdims) {
  return operation_output("Norm", {x}, {std::string(ord), argument_of(axes), keepdims});
}
std::pair<SymbolicTensor, SymbolicTensor> qr(const SymbolicTensor& x, QrMode mode) {
  const std::vector<SymbolicTensor> outputs =
      call_operation("Qr", {x}, {mode == QrMode::complete ? "complete" : "reduced"});
  return {outputs.at(0), outputs.at(1)};
}
SymbolicTensor cholesky(const SymbolicTensor& x, bool upper) { return operation_output("Cholesky", {x}, {upper}); }
SymbolicLuFactors lu_factor(const SymbolicTensor& x) {
  const std::vector<SymbolicTensor> outputs = call_operation("LuFactor", {x});
  return {outputs.at(0), outputs.at(1)};
}
SymbolicEigen eigh(const SymbolicTensor& x) {
  const std::vector<SymbolicTensor> outputs = call_operation("Eigh", {x});
  return {outputs.at(0), outputs.at(1)};
}
SymbolicSingularValues svd(const SymbolicTensor& x, bool full_matrices) {
  const std::vector<SymbolicTensor> outputs = call_operation("SVD", {x}, {full_matrices});
  return {outputs.at(0), outputs.at(1), outputs.at(2)};
}
SymbolicTensor svdvals(const SymbolicTensor& x) { return operation_output("SVD", {x}, {true, false}); }
SymbolicTensor solve(const SymbolicTensor& a, const Argument& b) { return operation_output("Solve", {a, b}); }
SymbolicTensor solve(const Tensor& a, const SymbolicTensor& b) { return operation_output("Solve", {a, b}); }
SymbolicTensor solve_triangular(const SymbolicTensor& a, const Argument& b, bool lower) {
  return operation_output("SolveTriangular", {a, b}, {lower});
}
SymbolicTensor solve_triangular(const Tensor& a, const SymbolicTensor& b, bool lower) {
  return operation_output("SolveTriangular", {a, b}, {lower});
}
SymbolicTensor lstsq(const SymbolicTensor& a, const Argument& b, std::optional<double> rcond) {
  return operation_output("Lstsq", {a, b}, {argument_of(rcond)});
}
SymbolicTensor lstsq(const Tensor& a, const SymbolicTensor& b, std::optional<double> rcond) {
  return operation_output("Lstsq", {a, b}, {argument_of(rcond)});
}
SymbolicTensor inv(const SymbolicTensor& x) { return operation_output("Inv", {x}); }
SymbolicTensor cholesky_inverse(const SymbolicTensor& x, bool upper) {
  return operation_output("CholeskyInverse", {x}, {upper});
}
SymbolicTensor pinv(const SymbolicTensor& x, std::optional<double> rcond) {
  return operation_output("Pinv", {x}, {argument_of(rcond)});
}
SymbolicTensor det(const SymbolicTensor& x) { return operation_output("Det", {x}); }
SymbolicSignAndLogDeterminant slogdet(const SymbolicTensor& x) {
  const std::vector<SymbolicTensor> outputs = call_operation("Slogdet", {x});
  return {outputs.at(0), outputs.at(1)};
}
SymbolicTensor logdet(const SymbolicTensor& x) { return operation_output("Logdet", {x}); }
SymbolicTensor matrix_rank(const SymbolicTensor& x, std::optional<double> tol) {
  return operation_output("MatrixRank", {x}, {argument_of(tol)});
}

}  // namespace ops
}  // namespace rhyton
