#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::models {

/// What `train_step` and `test_step` return: tensors by name, which become outputs of the compiled step, and, where the
/// step says so, the results of the model's metrics, which are read only where logs are shown.
///
///     return {{"d_loss", d_loss_tracker_.result()}, {"g_loss", g_loss_tracker_.result()}};
class StepLogs {
 public:
  using Entries = std::vector<std::pair<std::string, Tensor>>;

  /// No logs.
  StepLogs() = default;
  /// Scalars or vectors by name. Of two entries of one name the last one counts.
  StepLogs(std::initializer_list<std::pair<std::string, Tensor>> entries) : entries_(entries) {}
  /// The results of the metrics of the model whose step runs: see `ModelImpl::get_metrics_result`.
  static StepLogs of_metrics() {
    StepLogs logs;
    logs.has_metrics_ = true;
    return logs;
  }

  /// Adds an entry.
  void set(std::string name, Tensor value) { entries_.emplace_back(std::move(name), std::move(value)); }

  /// Whether the results of the model's metrics belong to the logs.
  bool has_metrics() const { return has_metrics_; }
  /// The others.
  const Entries& entries() const { return entries_; }

 private:
  Entries entries_;
  bool has_metrics_ = false;
};

}  // namespace rhyton::models
