#include <rhyton/models/training/trained_model.h>

#include <memory>
#include <vector>

#include <rhyton/models/training/random_states.h>

namespace rhyton::training {

void TrainedModel::build_optimizer() {
  const std::shared_ptr<ModelSteps> steps = compilation.training_steps();
  const std::unique_lock no_snapshot(step_mutex());
  StepFunctions& functions = steps->functions;
  if (!functions.optimizer().is_built()) functions.optimizer().build(functions.trainable_variables());
}

std::vector<Variable> TrainedModel::mirrored_variables() {
  std::vector<Variable> variables = trainee.layer().weights();
  const auto append = [&](const std::vector<Variable>& more) {
    variables.insert(variables.end(), more.begin(), more.end());
  };
  append(random_states_of(trainee.layer()));
  append(compilation.training_steps()->functions.optimizer().variables());
  return variables;
}

}  // namespace rhyton::training
