#include <rhyton/optimizers/optimizer_config.h>

#include <rhyton/framework/error.h>
#include <rhyton/optimizers/schedules/decay_steps.h>
#include <rhyton/optimizers/schedules/inverse_time_decay.h>

namespace rhyton::optimizers {
namespace {

/// The value as Python prints a float, or None.
std::string python_text(const std::optional<double>& value) { return value ? io::Json(*value).dump() : "None"; }

}  // namespace

void check_options(const OptimizerOptions& options) {
  if (!options.learning_rate.is_schedule()) {
    schedules::require_learning_rate("learning_rate", options.learning_rate.value());
  }
  if (options.gradient_accumulation_steps && *options.gradient_accumulation_steps < 2) {
    throw ValueError("`gradient_accumulation_steps` must be an integer >= 2. Received: gradient_accumulation_steps=" +
                     std::to_string(*options.gradient_accumulation_steps));
  }
  if (options.use_ema) {
    if (!(options.ema_momentum >= 0.0 && options.ema_momentum <= 1.0)) {
      throw ValueError("`ema_momentum` must be in the range [0, 1]. Received: ema_momentum=" +
                       python_text(options.ema_momentum));
    }
    if (options.ema_overwrite_frequency && *options.ema_overwrite_frequency < 1) {
      throw ValueError("`ema_overwrite_frequency` must be an integer >= 1 or None. Received: ema_overwrite_frequency=" +
                       std::to_string(*options.ema_overwrite_frequency));
    }
  }
  const int limits =
      int{options.clipnorm.has_value()} + int{options.clipvalue.has_value()} + int{options.global_clipnorm.has_value()};
  if (limits > 1) {
    throw ValueError("Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: clipnorm=" +
                     python_text(options.clipnorm) + ", clipvalue=" + python_text(options.clipvalue) +
                     ", global_clipnorm=" + python_text(options.global_clipnorm));
  }
}

io::Json OptimizerImpl::get_config() const {
  // As in Keras, the learning rate is read from its variable, rounded to the dtype of the variable.
  OptimizerOptions current = options_;
  if (!learning_rate_.is_empty()) current.learning_rate = learning_rate_.stored_value().item();
  return written(current);
}

void read_outdated_learning_rate(const io::Json& config, LearningRate& rate) {
  const io::Json* const given = config.find("learning_rate");
  const io::Json* const outdated = config.find("lr");
  if ((given == nullptr || given->is_null()) && outdated != nullptr && !outdated->is_null()) {
    rate = LearningRate::from_config(*outdated);
  }
  const double decay = config.get_or("decay", 0.0);
  if (decay == 0.0 || rate.is_schedule()) return;
  rate = schedules::InverseTimeDecay(rate.value(), 1.0, decay);
}

void require_all_read(const ConfigReader& reader) {
  const std::string unknown = reader.unread();
  if (!unknown.empty()) throw ValueError("Argument(s) not recognized: {" + unknown + "}");
}

}  // namespace rhyton::optimizers
