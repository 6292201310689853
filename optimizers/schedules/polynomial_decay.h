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

/// All arguments of PolynomialDecay.
struct PolynomialDecayArguments : PolynomialDecayOptions {
  double initial_learning_rate = 0.0;
  double decay_steps = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("initial_learning_rate", self.initial_learning_rate);
    fields.required_count("decay_steps", self.decay_steps);
    fields("end_learning_rate", self.end_learning_rate);
    fields("power", self.power);
    fields("cycle", self.cycle);
    fields("name", self.name);
  }
};

/// (initial - end) · (1 - step / decay_steps)^power + end, with step at most decay_steps; with `cycle`, decay_steps is
/// instead multiplied by the smallest positive integer that makes it at least step. Throws ValueError in Keras's words
/// for decay_steps <= 0. https://keras.io/api/optimizers/learning_rate_schedules/polynomial_decay/
class PolynomialDecay : public LearningRateSchedule {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "PolynomialDecay";
  using Arguments = PolynomialDecayArguments;

  PolynomialDecay(double initial_learning_rate, double decay_steps, const PolynomialDecayOptions& options = {});

  /// Creates it from a saved `config`. Throws ValueError for unknown arguments.
  static PolynomialDecay from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers::schedules
