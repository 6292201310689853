// The linear algebra of keras.ops on symbolic tensors.

#include <rhyton/layers/operations/linalg.h>

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {

std::vector<Operation> linalg_operations() {
  return {
      {"Norm",
       "ops.linalg",
       {"x"},
       {{"ord", {}}, {"axis", {}}, {"keepdims", false}},
       computes([](const Tensor& x, const Argument& ord, const std::vector<int>& axes, bool keepdims) {
         if (ord.is_string()) return norm(x, std::string_view(ord.string()), axes, keepdims);
         return norm(x, ArgumentValue<std::optional<double>>::from(ord), axes, keepdims);
       })},
      {"Qr", "ops.linalg", {"x"}, {{"mode", "reduced"}}, computes([](const Tensor& x, const std::string& mode) {
         if (mode == "reduced") return qr(x);
         if (mode == "complete") throw NotImplementedError("The argument `mode` must be 'reduced'.");
         throw ValueError(
             "`mode` argument value not supported. Expected one of {'reduced', 'complete'}. Received: "
             "mode=" +
             mode);
       })},
  };
}

}  // namespace layers

inline namespace ops {

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
std::pair<SymbolicTensor, SymbolicTensor> qr(const SymbolicTensor& x) {
  const std::vector<SymbolicTensor> outputs = call_operation("Qr", {x});
  return {outputs.at(0), outputs.at(1)};
}

}  // namespace ops
}  // namespace rhyton
