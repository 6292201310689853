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

/// All arguments of InverseTimeDecay.
struct InverseTimeDecayArguments : InverseTimeDecayOptions {
  double initial_learning_rate = 0.0;
  double decay_steps = 0.0;
  double decay_rate = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("initial_learning_rate", self.initial_learning_rate);
    fields.required_count("decay_steps", self.decay_steps);
    fields.required("decay_rate", self.decay_rate);
    fields("staircase", self.staircase);
    fields("name", self.name);
  }
};

/// initial_learning_rate / (1 + decay_rate · step / decay_steps). Throws ValueError in Keras's words for decay_steps <=
/// 0. https://keras.io/api/optimizers/learning_rate_schedules/inverse_time_decay/
class InverseTimeDecay : public LearningRateSchedule {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "InverseTimeDecay";
  using Arguments = InverseTimeDecayArguments;

  InverseTimeDecay(double initial_learning_rate, double decay_steps, double decay_rate,
                   const InverseTimeDecayOptions& options = {});

  /// Creates it from a saved `config`. Throws ValueError for unknown arguments.
  static InverseTimeDecay from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers::schedules
