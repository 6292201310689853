#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <rhyton/models/callbacks/log_value.h>
#include <rhyton/models/metrics/metric.h>
#include <rhyton/models/training/options.h>

namespace rhyton::training {

/// The metrics of all outputs under the names that logs show (Keras's `CompileMetrics`). Several threads may use them
/// at once, each with values of its own for the metrics' variables (`VariableValues`).
class CompiledMetrics {
 public:
  /// Throws ValueError in Keras's words if the metrics do not fit the outputs.
  CompiledMetrics(const models::MetricsArgument& metrics, const models::MetricsArgument& weighted_metrics,
                  std::vector<std::string> output_names);

  /// Whether each output has metrics.
  std::vector<bool> outputs() const;

  /// Makes the metrics for outputs of these specs: strings become metrics by them. Does nothing at later calls.
  void resolve(const std::vector<TensorSpec>& y, const std::vector<TensorSpec>& y_pred);
  /// Updates all metrics, after `resolve` for these shapes if necessary. Only weighted metrics use the weights. The `y`
  /// of an output without metrics may be empty.
  void update(const std::vector<Tensor>& y, const std::vector<Tensor>& y_pred,
              const std::vector<Tensor>& sample_weight);

  struct Result {
    std::string name;
    callbacks::LogValue value;
  };
  /// The names of results that are those of their metrics, without an output's name before them, in the order of
  /// `compile`.
  std::vector<std::string> bare_names() const;
  /// The results in the order of `compile`. Reads values.
  std::vector<Result> results() const;
  void reset() const;
  /// Whether `resolve` was called.
  bool is_resolved() const { return resolved_.load(std::memory_order_acquire); }
  /// The variables of all metrics; none before `resolve`.
  std::vector<Variable> variables() const;
  /// Which values of the metric of that bare name are better, larger ("up") or smaller ("down") ones; empty if unknown.
  std::string direction_of(const std::string& name) const;

 private:
  struct Entry {
    metrics::Metric metric;
    std::size_t output = 0;
    bool weighted = false;
    std::string name;
    /// Whether the name is that of the metric, without an output's name before it.
    bool is_bare = true;
  };

  /// None before `resolve`.
  const std::vector<Entry>& entries() const;

  std::vector<std::string> output_names_;
  // Per output.
  std::vector<models::MetricsArgument::List> metrics_;
  std::vector<models::MetricsArgument::List> weighted_metrics_;
  // Whether `entries_` exist; afterwards they do not change.
  std::atomic<bool> resolved_{false};
  std::vector<Entry> entries_;
};

}  // namespace rhyton::training
