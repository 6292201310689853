#include <rhyton/models/callbacks/monitor.h>

#include <cmath>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>

namespace rhyton::callbacks {

Monitor::Monitor(std::string owner, std::string name, std::string mode, double min_delta)
    : owner_(std::move(owner)), name_(std::move(name)), mode_(std::move(mode)), min_delta_(std::abs(min_delta)) {
  if (mode_ != "auto" && mode_ != "min" && mode_ != "max") {
    throw ValueError(owner_ + ": `mode` must be 'auto', 'min' or 'max'. Received: mode=" + mode_);
  }
}

std::optional<double> Monitor::value(const Logs& logs, const char* subject) {
  const std::optional<double> result = logs.find(name_);
  require_number(logs);
  if (!result && !has_warned_) {
    has_warned_ = true;
    std::string available;
    for (const auto& [name, value] : logs) available += (available.empty() ? "" : ",") + name;
    warn(std::string(subject) + " conditioned on metric `" + name_ +
         "` which is not available. Available metrics are: " + available);
  }
  return result;
}

void Monitor::require_number(const Logs& logs) const {
  if (!logs.contains(name_) || !logs.value(name_).is_vector()) return;
  throw ValueError(owner_ + " cannot monitor `" + name_ +
                   "`, whose value is a vector: The truth value of an array with more than one element is ambiguous.");
}

void Monitor::decide_direction(const TrainingControl& training) {
  if (prefers_small_) return;
  if (mode_ != "auto") {
    prefers_small_ = mode_ == "min";
    return;
  }
  const std::string metric = name_.starts_with("val_") ? name_.substr(4) : name_;
  const std::string direction = metric == "loss" ? "down" : training.direction_of(metric);
  if (direction == "down") {
    prefers_small_ = true;
  } else if (direction == "up") {
    prefers_small_ = false;
  } else {
    throw ValueError(owner_ + " callback received monitor=" + name_ +
                     ", but Keras isn't able to automatically determine whether that metric should be maximized or "
                     "minimized. Pass `mode='max'` in order to monitor based on the highest metric value, or pass "
                     "`mode='min'` in order to use the lowest value.");
  }
}

void Monitor::decide_direction_early(const TrainingControl& training) {
  try {
    decide_direction(training);
  } catch (const RuntimeError&) {
    // The metrics are unknown before the first step.
  }
}

bool Monitor::is_improvement(double value, const std::optional<double>& reference) const {
  if (!reference) return true;
  return prefers_small() ? value + min_delta_ < *reference : value - min_delta_ > *reference;
}

}  // namespace rhyton::callbacks
