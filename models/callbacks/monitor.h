#pragma once

#include <optional>
#include <string>

#include <rhyton/models/callbacks/callback.h>

namespace rhyton::callbacks {

/// Watches one value of the logs and says whether it has become better: what callbacks with `monitor` share.
class Monitor {
 public:
  /// `mode`: "min", "max", or "auto", where the metric says. `owner` is the class, for messages. Throws ValueError for
  /// another mode.
  Monitor(std::string owner, std::string name, std::string mode, double min_delta);

  const std::string& name() const { return name_; }
  /// The value; empty where the logs do not hold it, of which the first time is warned on the standard error:
  /// "<subject> conditioned on metric …".
  std::optional<double> value(const Logs& logs, const char* subject);
  /// Finds out which way is better, at the first call. To be called after the first epoch at the latest. Throws
  /// ValueError in Keras's words when the metric does not say.
  void decide_direction(const TrainingControl& training);
  /// The same before the first step. Does nothing where the metrics are not known then, as layers read values.
  void decide_direction_early(const TrainingControl& training);
  /// Whether `value` is better by more than `min_delta`; always where there is nothing to compare with.
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
