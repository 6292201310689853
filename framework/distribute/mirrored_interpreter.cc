#include <rhyton/framework/distribute/mirrored_interpreter.h>

#include <rhyton/framework/ops/eager.h>

namespace rhyton::distribute {

std::vector<Tensor> MirroredInterpreter::apply(const OpPtr& op, std::span<const Tensor> inputs) {
  return eager_interpreter().apply(op, inputs);
}

Tensor MirroredInterpreter::read(const Variable& variable) {
  return eager_interpreter().read(variables_.of(variable, replica_));
}

void MirroredInterpreter::assign(const Variable& variable, const Tensor& value) {
  // The other replicas' copies begin with the value that this assignment replaces.
  variables_.mirror(variable);
  eager_interpreter().assign(variables_.of(variable, replica_), value);
}

}  // namespace rhyton::distribute
