#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/optimizers/schedules/learning_rate_schedule.h>

namespace rhyton::optimizers::schedules {

/// The options of InverseTimeDecay, in Keras's order.
struct InverseTimeDecayOptions {
  ByName by_name = ByName();
  /// Changes the rate only every `decay_steps` steps.
  bool staircase = false;
  std::string name = "InverseTimeDecay";
};

/// initial_learning_rate / (1 + decay_rate · step / decay_steps). Throws ValueError in Keras's words for decay_steps <=
/// 0. https://keras.io/api/optimizers/learning_rate_schedules/inverse_time_decay/
class InverseTimeDecay : public LearningRateSchedule {
 public:
  InverseTimeDecay(double initial_learning_rate, double decay_steps, double decay_rate,
                   const InverseTimeDecayOptions& options = {});
};

}  // namespace rhyton::optimizers::schedules
