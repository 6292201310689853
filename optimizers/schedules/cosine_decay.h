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

/// All arguments of CosineDecay.
struct CosineDecayArguments : CosineDecayOptions {
  double initial_learning_rate = 0.0;
  double decay_steps = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("initial_learning_rate", self.initial_learning_rate);
    fields.required_count("decay_steps", self.decay_steps);
    fields("alpha", self.alpha);
    fields("name", self.name);
    fields("warmup_target", self.warmup_target);
    fields.count("warmup_steps", self.warmup_steps);
  }
};

/// initial_learning_rate · ((1 - alpha) (1 + cos(π step / decay_steps)) / 2 + alpha), with step at most decay_steps.
/// Throws ValueError in Keras's words for decay_steps <= 0.
/// https://keras.io/api/optimizers/learning_rate_schedules/cosine_decay/
class CosineDecay : public LearningRateSchedule {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "CosineDecay";
  using Arguments = CosineDecayArguments;

  CosineDecay(double initial_learning_rate, double decay_steps, const CosineDecayOptions& options = {});

  /// Creates it from a saved `config`. Throws ValueError for unknown arguments.
  static CosineDecay from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers::schedules
