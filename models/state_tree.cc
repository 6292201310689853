#include <rhyton/models/state_tree.h>

#include <mutex>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/models/model.h>

namespace rhyton::models {
namespace {

struct StateVariables {
  std::vector<Variable> trainable, non_trainable, optimizer, metrics;
};

StateVariables variables_of(const Model& model) {
  StateVariables variables{model.trainable_variables(), model.non_trainable_variables(), {}, model.metrics_variables()};
  if (model.is_compiled()) variables.optimizer = model.optimizer().variables();
  return variables;
}

StateTree::Values values_of(const std::vector<Variable>& variables) {
  StateTree::Values values;
  for (const Variable& variable : variables) {
    if (values.emplace(variable.path(), variable.value()).second) continue;
    throw ValueError("The following variable path is found twice in the model: '" + variable.path() +
                     "'. `get_state_tree()` can only be called when all variable paths are unique. Make sure to give "
                     "unique names to your layers (and other objects).");
  }
  return values;
}

/// Adds the assignments that set `variables` to `values`.
void find(const StateTree::Values& values, const std::vector<Variable>& variables, const char* kind,
          std::vector<std::pair<Variable, Tensor>>& assignments) {
  std::map<std::string, Variable> by_path;
  for (const Variable& variable : variables) by_path.emplace(variable.path(), variable);
  for (const auto& [path, value] : values) {
    const auto found = by_path.find(path);
    if (found == by_path.end()) {
      throw ValueError("`set_state_tree`: the model has no variable '" + path + "' among its " + kind + ".");
    }
    const Variable& variable = found->second;
    if (value.is_empty() || value.shape() != variable.shape()) {
      throw ValueError(
          "The shape of the target variable and the shape of the target value in `variable.assign(value)` must match. "
          "variable.shape=" +
          variable.shape().to_string() + ", Received: value.shape=" +
          (value.is_empty() ? "none, an empty tensor" : value.shape().to_string()) + ". Target variable: " + path);
    }
    assignments.emplace_back(variable, value);
  }
}

}  // namespace

StateTree Model::get_state_tree() const {
  const InitScope init;
  const StateVariables variables = variables_of(*this);
  const std::unique_lock between_steps(step_mutex());
  return {.trainable_variables = values_of(variables.trainable),
          .non_trainable_variables = values_of(variables.non_trainable),
          .optimizer_variables = values_of(variables.optimizer),
          .metrics_variables = values_of(variables.metrics)};
}

void Model::set_state_tree(const StateTree& tree) const {
  const StateVariables variables = variables_of(*this);
  std::vector<std::pair<Variable, Tensor>> assignments;
  find(tree.trainable_variables, variables.trainable, "trainable variables", assignments);
  find(tree.non_trainable_variables, variables.non_trainable, "non-trainable variables", assignments);
  find(tree.optimizer_variables, variables.optimizer, "optimizer's variables", assignments);
  find(tree.metrics_variables, variables.metrics, "metrics' variables", assignments);
  const InitScope init;
  const std::unique_lock between_steps(step_mutex());
  for (const auto& [variable, value] : assignments) variable.assign(cast(value, variable.dtype()));
}

}  // namespace rhyton::models
