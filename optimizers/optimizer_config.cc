#include <rhyton/optimizers/optimizer_config.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/optimizers/schedules/decay_steps.h>
#include <rhyton/optimizers/schedules/inverse_time_decay.h>

namespace rhyton::optimizers {
namespace {

/// The value as Python prints a float, or None.
std::string python_text(const std::optional<double>& value) { return value ? io::Json(*value).dump() : "None"; }

constexpr std::array<std::string_view, 11> common_keys = {"name",
                                                          "learning_rate",
                                                          "weight_decay",
                                                          "clipnorm",
                                                          "global_clipnorm",
                                                          "clipvalue",
                                                          "use_ema",
                                                          "ema_momentum",
                                                          "ema_overwrite_frequency",
                                                          "loss_scale_factor",
                                                          "gradient_accumulation_steps"};

constexpr std::array<std::string_view, 4> outdated_keys = {"decay", "lr", "jit_compile", "is_legacy_optimizer"};

template <class Keys>
bool contains(const Keys& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

const io::Json* present(const io::Json& config, const char* key) {
  const io::Json* value = config.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

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

io::Json optional_number(const std::optional<double>& value) { return value ? io::Json(*value) : io::Json(); }
io::Json optional_number(const std::optional<int>& value) { return value ? io::Json(*value) : io::Json(); }

io::Json OptimizerImpl::get_config() const {
  // As in Keras, the learning rate is read from its variable, rounded to the dtype of the variable.
  const io::Json rate = learning_rate_.is_empty() ? schedules::serialize(options_.learning_rate.schedule())
                                                  : io::Json(learning_rate_.stored_value().item());
  return io::Json::object({{"name", options_.name},
                           {"learning_rate", rate},
                           {"weight_decay", optional_number(options_.weight_decay)},
                           {"clipnorm", optional_number(options_.clipnorm)},
                           {"global_clipnorm", optional_number(options_.global_clipnorm)},
                           {"clipvalue", optional_number(options_.clipvalue)},
                           {"use_ema", options_.use_ema},
                           {"ema_momentum", options_.ema_momentum},
                           {"ema_overwrite_frequency", optional_number(options_.ema_overwrite_frequency)},
                           {"loss_scale_factor", optional_number(options_.loss_scale_factor)},
                           {"gradient_accumulation_steps", optional_number(options_.gradient_accumulation_steps)}});
}

void read_argument(const io::Json& config, const char* key, double& value) { value = config.get_or(key, value); }
void read_argument(const io::Json& config, const char* key, bool& value) { value = config.get_or(key, value); }
void read_argument(const io::Json& config, const char* key, std::string& value) { value = config.get_or(key, value); }

LearningRate read_learning_rate(const io::Json& config, const LearningRate& fallback) {
  LearningRate rate = fallback;
  read_argument(config, present(config, "learning_rate") == nullptr ? "lr" : "learning_rate", rate);
  const double decay = config.get_or("decay", 0.0);
  if (decay == 0.0 || rate.is_schedule()) return rate;
  return schedules::InverseTimeDecay(rate.value(), 1.0, decay);
}

void read_argument(const io::Json& config, const char* key, LearningRate& value) {
  const io::Json* found = present(config, key);
  if (found == nullptr) return;
  if (found->is_object()) {
    value = schedules::deserialize(*found);
  } else if (found->is_number()) {
    value = found->as_double();
  } else {
    throw ValueError(
        "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a callable (that takes "
        "in "
        "the current iteration value and returns the corresponding learning rate value). Received instead: "
        "learning_rate=" +
        (found->is_string() ? found->as_string() : found->dump()));
  }
}

void read_argument(const io::Json& config, const char* key, std::optional<double>& value) {
  if (!config.contains(key)) return;
  const io::Json* found = present(config, key);
  value = found == nullptr ? std::nullopt : std::optional(found->as_double());
}

void read_argument(const io::Json& config, const char* key, std::optional<int>& value) {
  if (!config.contains(key)) return;
  const io::Json* found = present(config, key);
  value = found == nullptr ? std::nullopt : std::optional(static_cast<int>(found->as_int()));
}

void check_keys(const io::Json& config, std::initializer_list<const char*> own) {
  std::string unknown;
  for (const auto& [key, value] : config.items()) {
    if (contains(common_keys, key) || contains(outdated_keys, key) || contains(own, key)) continue;
    unknown += (unknown.empty() ? "'" : ", '") + key + "': " + value.dump();
  }
  if (!unknown.empty()) throw ValueError("Argument(s) not recognized: {" + unknown + "}");
}

}  // namespace rhyton::optimizers
