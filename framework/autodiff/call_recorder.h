#pragma once

#include <span>
#include <vector>

#include <rhyton/framework/autodiff/backpropagation.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/name_scope.h>

namespace rhyton {

/// Notes all calls, for `backpropagate`.
class CallRecorder final : public Observer {
 public:
  explicit CallRecorder(std::vector<RecordedCall>& calls) : calls_(calls) {}

  void applied(const OpPtr& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) override {
    calls_.push_back({op, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}, NameScope::current()});
  }
  void read(const Variable&, const Tensor&) override {}
  void assigned(const Variable&) override {}

 private:
  std::vector<RecordedCall>& calls_;
};

}  // namespace rhyton
