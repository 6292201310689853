#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/optimizers/schedules/learning_rate_schedule.h>

namespace rhyton::optimizers::schedules {

/// The options of ExponentialDecay, in Keras's order.
struct ExponentialDecayOptions {
  ByName by_name = ByName();
  /// Changes the rate only every `decay_steps` steps.
  bool staircase = false;
  std::string name = "ExponentialDecay";
};

/// initial_learning_rate · decay_rate^(step / decay_steps). Throws ValueError in Keras's words for decay_steps <= 0.
/// https://keras.io/api/optimizers/learning_rate_schedules/exponential_decay/
class ExponentialDecay : public LearningRateSchedule {
 public:
  ExponentialDecay(double initial_learning_rate, double decay_steps, double decay_rate,
                   const ExponentialDecayOptions& options = {});
};

}  // namespace rhyton::optimizers::schedules
