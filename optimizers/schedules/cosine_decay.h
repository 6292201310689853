#pragma once

#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/optimizers/schedules/learning_rate_schedule.h>

namespace rhyton::optimizers::schedules {

/// The options of CosineDecay, in Keras's order except for the name, which is last.
struct CosineDecayOptions {
  ByName by_name = ByName();
  /// The final learning rate as a fraction of the initial one.
  double alpha = 0.0;
  /// If given, the rate first rises linearly to it in `warmup_steps` steps and decays from there.
  std::optional<double> warmup_target = std::nullopt;
  double warmup_steps = 0;
  std::string name = "CosineDecay";
};

/// initial_learning_rate · ((1 - alpha) (1 + cos(π step / decay_steps)) / 2 + alpha), with step at most decay_steps.
/// Throws ValueError in Keras's words for decay_steps <= 0.
/// https://keras.io/api/optimizers/learning_rate_schedules/cosine_decay/
class CosineDecay : public LearningRateSchedule {
 public:
  CosineDecay(double initial_learning_rate, double decay_steps, const CosineDecayOptions& options = {});
};

}  // namespace rhyton::optimizers::schedules
