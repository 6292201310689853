#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/optimizers/schedules/learning_rate_schedule.h>

namespace rhyton::optimizers::schedules {

/// The options of PolynomialDecay, in Keras's order.
struct PolynomialDecayOptions {
  ByName by_name = ByName();
  double end_learning_rate = 0.0001;
  double power = 1.0;
  /// Restarts the decay, with more steps each time, instead of staying at the end value.
  bool cycle = false;
  std::string name = "PolynomialDecay";
};

/// (initial - end) · (1 - step / decay_steps)^power + end, with step at most decay_steps; with `cycle`, decay_steps is
/// instead multiplied by the smallest positive integer that makes it at least step. Throws ValueError in Keras's words
/// for decay_steps <= 0. https://keras.io/api/optimizers/learning_rate_schedules/polynomial_decay/
class PolynomialDecay : public LearningRateSchedule {
 public:
  PolynomialDecay(double initial_learning_rate, double decay_steps, const PolynomialDecayOptions& options = {});
};

}  // namespace rhyton::optimizers::schedules
