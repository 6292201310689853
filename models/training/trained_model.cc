#include <rhyton/models/training/trained_model.h>

#include <memory>
#include <vector>

#include <rhyton/models/training/random_states.h>

namespace rhyton::training {

void TrainedModel::build_optimizer() {
  const std::shared_ptr<ModelSteps> steps = compilation.training_steps();
  const std::unique_lock no_snapshot(step_mutex());
  StepFunctions& functions = steps->functions;
  // Does not decide which weights are trained: a file with the optimizer's state is read before the user freezes
  // layers.
  if (!functions.optimizer().is_built()) functions.optimizer().build(trainable_weights_of(trainee.layer()));
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
