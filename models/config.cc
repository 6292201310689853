#include <rhyton/models/config.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include <rhyton/framework/context.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>

namespace rhyton::config {
namespace {

/// Limits that were set, by the name of the environment variable.
struct Limits {
  std::mutex mutex;
  std::map<std::string, std::optional<std::int64_t>> set;
};

struct InteractiveLogging {
  std::atomic<bool> is_enabled{true};
};

std::atomic<bool>& interactive_logging() { return context().slot<InteractiveLogging>().is_enabled; }

std::optional<std::int64_t> limit(const char* variable) {
  Limits& limits = context().slot<Limits>();
  const std::scoped_lock lock(limits.mutex);
  if (const auto found = limits.set.find(variable); found != limits.set.end()) return found->second;
  const std::optional<std::string_view> text = environment_if_set(variable);
  if (!text) return std::nullopt;
  return std::max(0L, std::strtol(std::string(*text).c_str(), nullptr, 10));
}

void set_limit(const char* variable, const char* argument, std::optional<std::int64_t> value) {
  if (value && *value < 0) {
    throw ValueError("`" + std::string(argument) + "` must not be negative. Received: " + std::to_string(*value));
  }
  Limits& limits = context().slot<Limits>();
  const std::scoped_lock lock(limits.mutex);
  limits.set[variable] = value;
}

constexpr const char* epochs_variable = "KERAS_MAX_EPOCHS";
constexpr const char* steps_variable = "KERAS_MAX_STEPS_PER_EPOCH";

}  // namespace

std::optional<std::int64_t> max_epochs() { return limit(epochs_variable); }

void set_max_epochs(std::optional<std::int64_t> max_epochs) { set_limit(epochs_variable, "max_epochs", max_epochs); }

std::optional<std::int64_t> max_steps_per_epoch() { return limit(steps_variable); }

void set_max_steps_per_epoch(std::optional<std::int64_t> max_steps_per_epoch) {
  set_limit(steps_variable, "max_steps_per_epoch", max_steps_per_epoch);
}

void enable_interactive_logging() { interactive_logging() = true; }

void disable_interactive_logging() { interactive_logging() = false; }

bool is_interactive_logging_enabled() { return interactive_logging(); }

std::string backend() { return "rhyton"; }

}  // namespace rhyton::config

namespace rhyton {

std::string version() { return RHYTON_VERSION; }

}  // namespace rhyton
