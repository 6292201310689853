#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/optimizers/schedules/learning_rate_schedule.h>

namespace rhyton::optimizers::schedules {

/// The options of CosineDecayRestarts, in Keras's order.
struct CosineDecayRestartsOptions {
  ByName by_name = ByName();
  /// Each period is this many times as long as the one before, …
  double t_mul = 2.0;
  /// … and begins with this multiple of its learning rate.
  double m_mul = 1.0;
  /// The smallest learning rate as a fraction of the initial one.
  double alpha = 0.0;
  std::string name = "SGDRDecay";
};

/// All arguments of CosineDecayRestarts.
struct CosineDecayRestartsArguments : CosineDecayRestartsOptions {
  double initial_learning_rate = 0.0;
  double first_decay_steps = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("initial_learning_rate", self.initial_learning_rate);
    fields.required_count("first_decay_steps", self.first_decay_steps);
    fields("t_mul", self.t_mul);
    fields("m_mul", self.m_mul);
    fields("alpha", self.alpha);
    fields("name", self.name);
  }
};

/// Cosine decay from period to period (https://arxiv.org/abs/1608.03983): initial_learning_rate · ((1 - alpha) m_mulⁱ (1
/// + cos(π f)) / 2 + alpha), where i counts the periods from 0 and f is the part of the period that is done. The first
/// period has `first_decay_steps` steps. Throws ValueError in Keras's words for first_decay_steps <= 0.
/// https://keras.io/api/optimizers/learning_rate_schedules/cosine_decay_restarts/
class CosineDecayRestarts : public LearningRateSchedule {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "CosineDecayRestarts";
  using Arguments = CosineDecayRestartsArguments;

  CosineDecayRestarts(double initial_learning_rate, double first_decay_steps,
                      const CosineDecayRestartsOptions& options = {});

  /// Creates it from a saved `config`. Throws ValueError for unknown arguments.
  static CosineDecayRestarts from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers::schedules
