#pragma once

#include <span>
#include <vector>

#include <rhyton/framework/distribute/mirrored_variables.h>
#include <rhyton/framework/ops/listeners.h>

namespace rhyton::distribute {

/// Runs code eagerly as one replica: reads and assignments use the replica's copy of each variable.
class MirroredInterpreter final : public Interpreter {
 public:
  MirroredInterpreter(MirroredVariables& variables, int replica) : variables_(variables), replica_(replica) {}

  std::vector<Tensor> apply(const OpPtr& op, std::span<const Tensor> inputs) override;
  Tensor read(const Variable& variable) override;
  void assign(const Variable& variable, const Tensor& value) override;
  bool executes() const override { return true; }

 private:
  MirroredVariables& variables_;
  int replica_;
};

}  // namespace rhyton::distribute
