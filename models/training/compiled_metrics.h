#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <rhyton/models/metrics/metric.h>
#include <rhyton/models/training/options.h>

namespace rhyton::training {

/// The metrics of all outputs under the names that logs show (Keras's `CompileMetrics`). Threads may use them at once,
/// each with values of its own for the metrics' variables (`VariableValues`).
class CompiledMetrics {
 public:
  /// Throws ValueError in Keras's words when the metrics do not fit the outputs.
  CompiledMetrics(const models::MetricsArgument& metrics, const models::MetricsArgument& weighted_metrics,
                  std::vector<std::string> output_names);

  /// Makes the metrics for outputs of these specs: strings become metrics by them. `update` does it where it has not
  /// been done.
  void resolve(const std::vector<TensorSpec>& y, const std::vector<TensorSpec>& y_pred);
  /// Updates all; at the first call strings become metrics by the shapes seen. Weights reach weighted metrics only.
  void update(const std::vector<Tensor>& y, const std::vector<Tensor>& y_pred,
              const std::vector<Tensor>& sample_weight);

  struct Result {
    std::string name;
    double value = 0;
    /// Whether the name is the metric's own, without an output's name before it.
    bool is_bare = true;
  };
  /// In the order of `compile`. Reads values.
  std::vector<Result> results() const;
  void reset() const;
  bool is_resolved() const { return resolved_.load(std::memory_order_acquire); }
  /// The variables of all metrics that are resolved.
  std::vector<Variable> variables() const;
  /// "up" or "down" where a metric of that bare name says which way is better, else empty.
  std::string direction_of(const std::string& name) const;

 private:
  struct Entry {
    metrics::Metric metric;
    std::size_t output = 0;
    bool weighted = false;
    std::string name;
    bool is_bare = true;
  };

  /// None before `resolve`.
  const std::vector<Entry>& entries() const;
  std::string unused_name(const std::string& name, std::size_t output, bool weighted, bool& is_bare) const;

  std::vector<std::string> output_names_;
  // Per output, then the entries that they become.
  std::vector<models::MetricsArgument::List> metrics_;
  std::vector<models::MetricsArgument::List> weighted_metrics_;
  // Whether `entries_` are made; afterwards they do not change.
  std::atomic<bool> resolved_{false};
  std::vector<Entry> entries_;
};

}  // namespace rhyton::training
