#pragma once

#include <string>

#include <rhyton/models/metrics/metric.h>

// Metrics that accumulate: sums, means, and means of functions.

namespace rhyton::metrics {

/// The implementation of Mean with the state `total` and `count`. Metrics that are means derive from it and pass their
/// values to `update_values`.
class MeanImpl : public MetricImpl {
 public:
  MeanImpl(std::string class_name, const MetricOptions& options);

  /// Adds the weighted values. Values with more axes than the weights (than one, without weights) are first averaged
  /// over the other axes, so that each sample counts once. As in Keras, weights become 0 where a mask of the values is
  /// false; without weights their mask is not used.
  void update_values(const Tensor& values, const Tensor& sample_weight);

  /// Throws TypeError: a mean takes values, not truth and predictions.
  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override;
  /// total / count, 0 before the first batch.
  Tensor result() const override;

 private:
  Variable total_;
  Variable count_;
};

/// The mean of all values. https://keras.io/api/metrics/reduction_metrics/#mean-class
class Mean : public Metric {
 public:
  explicit Mean(const MetricOptions& options = {});

  /// Accumulates `values` of any shape whose first axis is the samples; `sample_weight` has the same leading axes.
  void update_state(const Tensor& values, const Tensor& sample_weight = {}) const;
};

/// The sum of all values, weighted. https://keras.io/api/metrics/reduction_metrics/#sum-class
class Sum : public Metric {
 public:
  explicit Sum(const MetricOptions& options = {});

  void update_state(const Tensor& values, const Tensor& sample_weight = {}) const;
};

/// The mean of a function's values, the base of all metrics that are means of functions; `arguments` are added to its
/// configuration, `direction` says which means are better ("up" or "down"; empty if unknown).
class FunctionMetric final : public MeanImpl {
 public:
  FunctionMetric(std::string class_name, const MetricOptions& options, MetricFunction function,
                 io::Json arguments = io::Json::object(), std::string direction = {});

  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override;
  io::Json get_config() const override;

 private:
  MetricFunction function_;
  io::Json arguments_;
};

/// The mean of the values that a function of y_true and y_pred gives.
/// https://keras.io/api/metrics/reduction_metrics/#meanmetricwrapper-class
class MeanMetricWrapper : public Metric {
 public:
  explicit MeanMetricWrapper(MetricFunction function, const MetricOptions& options = {});
};

/// The options, with this name if they have none.
MetricOptions named(MetricOptions options, const char* default_name);

}  // namespace rhyton::metrics
