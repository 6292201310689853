#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/framework/tensor/variable_values.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/losses_of_calls.h>

namespace rhyton::layers {
namespace {

/// Throws ValueError in Keras's words unless each variable has a value of its shape and dtype.
void require_fitting(const Layer& layer, const std::string& argument, const std::vector<Variable>& variables,
                     const std::vector<Tensor>& values) {
  if (variables.size() != values.size()) {
    throw ValueError("Argument `" + argument + "` must be a list of tensors corresponding 1:1 to " +
                     layer.class_name() + "()." + argument + ". Received list with length " +
                     std::to_string(values.size()) + ", but expected " + std::to_string(variables.size()) +
                     " variables.");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TensorSpec& expected = variables[i].spec();
    if (!values[i].is_empty() && values[i].spec() == expected) continue;
    throw ValueError("Argument `" + argument + "` of layer '" + layer.name() + "': variable '" + variables[i].path() +
                     "' has shape " + expected.shape.to_string() + " and dtype " +
                     std::string(name_of(expected.dtype)) + ". Received: " +
                     (values[i].is_empty() ? "an empty tensor"
                                           : "shape " + values[i].shape().to_string() + " and dtype " +
                                                 std::string(name_of(values[i].dtype()))));
  }
}

/// Sets the values of the variables in `in`.
void set_values(VariableValues& in, const std::vector<Variable>& variables, const std::vector<Tensor>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) in.find(variables[i])->value = values[i];
}

/// During its lifetime, this thread has no losses but those of calls within.
class OwnLosses {
 public:
  OwnLosses() = default;
  ~OwnLosses() { losses_of_calls() = std::move(outside_); }
  OwnLosses(const OwnLosses&) = delete;
  OwnLosses& operator=(const OwnLosses&) = delete;

 private:
  LossesOfCalls outside_ = std::exchange(losses_of_calls(), {});
};

}  // namespace

StatelessResult Layer::stateless_call(const std::vector<Tensor>& trainable_values,
                                      const std::vector<Tensor>& non_trainable_values,
                                      const std::vector<Tensor>& inputs, const CallOptions& options) const {
  if (!is_built()) {
    throw ValueError("To call stateless_call, " + class_name() +
                     " must be built (i.e. its variables must have been already created). You can build it by calling "
                     "it on some data.");
  }
  if (!executing_eagerly()) {
    throw NotImplementedError("`stateless_call` of layer '" + name() + "' in a traced function.");
  }
  const std::vector<Variable> trainable = trainable_variables();
  const std::vector<Variable> non_trainable = non_trainable_variables();
  require_fitting(*this, "trainable_variables", trainable, trainable_values);
  require_fitting(*this, "non_trainable_variables", non_trainable, non_trainable_values);

  VariableValues values;
  {
    const std::unique_lock between_steps(step_mutex());
    values.take(trainable, true);
    values.take(non_trainable, true);
  }
  set_values(values, trainable, trainable_values);
  set_values(values, non_trainable, non_trainable_values);

  const VariableValuesScope scope(values);
  const OwnLosses own_losses;
  StatelessResult result;
  result.outputs = require_impl().invoke(
      with_options(inputs.size() == 1 ? Argument(inputs[0]) : Argument(inputs), options), options.training);
  for (const Variable& variable : non_trainable) {
    result.non_trainable_variables.push_back(values.find(variable)->value);
  }
  result.losses = losses();
  return result;
}

}  // namespace rhyton::layers
