#pragma once

#include <optional>
#include <string>

#include <rhyton/models/callbacks/callback.h>

namespace rhyton::callbacks {

/// Monitors one value of the logs and decides whether it has improved, for callbacks with an argument `monitor`.
class Monitor {
 public:
  /// `mode`: "min", "max", or "auto", which the metric determines. `owner` is the class, for messages. Throws
  /// ValueError for another mode.
  Monitor(std::string owner, std::string name, std::string mode, double min_delta);

  const std::string& name() const { return name_; }
  /// The value; empty if the logs do not have it, with a warning the first time: "<subject> conditioned on metric …".
  std::optional<double> value(const Logs& logs, const char* subject);
  /// Throws ValueError if the value is a vector, which has no order.
  void require_number(const Logs& logs) const;
  /// Determines at the first call whether smaller values are better. Must be called after the first epoch at the
  /// latest. Throws ValueError in Keras's words if the metric does not determine it.
  void decide_direction(const TrainingControl& training);
  /// The same before the first step. Does nothing if the metrics are unknown then, because layers read values.
  void decide_direction_early(const TrainingControl& training);
  /// Whether `value` is better by more than `min_delta`; true without a reference.
  bool is_improvement(double value, const std::optional<double>& reference) const;
  bool prefers_small() const { return prefers_small_.value_or(true); }

 private:
  std::string owner_;
  std::string name_;
  std::string mode_;
  double min_delta_;
  std::optional<bool> prefers_small_;
  bool has_warned_ = false;
};

}  // namespace rhyton::callbacks
