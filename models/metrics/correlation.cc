#include <rhyton/models/metrics/correlation.h>

#include <memory>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/statistics.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/losses/reduction.h>
#include <rhyton/models/metrics/reduction.h>

namespace rhyton::metrics {
namespace {

std::pair<Tensor, Tensor> labels_and_predictions(const Tensor& y_true, const Tensor& y_pred) {
  return losses::squeeze_or_expand_to_same_rank(cast(y_true, y_pred.dtype()), y_pred);
}

/// x with the mean 0 and the deviation 1 along the axes.
Tensor standardized(const Tensor& x, const std::vector<int>& axes) {
  const Tensor centered = x - mean(x, axes, true);
  return centered / standard_deviation(centered, axes, true);
}

using Correlation = Tensor (*)(const Tensor& y_true, const Tensor& y_pred, const layers::Axes& axis);

template <class Options>
Metric mean_metric(const char* class_name, Correlation function, const Options& options) {
  return make_metric<FunctionMetric>(
      class_name, MetricOptions{.name = options.name, .dtype = options.dtype},
      [function, axis = options.axis](const Tensor& y_true, const Tensor& y_pred) {
        return function(y_true, y_pred, axis);
      },
      written(options), "up");
}

}  // namespace

Tensor pearson_correlation(const Tensor& y_true, const Tensor& y_pred, const layers::Axes& axis) {
  const auto [y, p] = labels_and_predictions(y_true, y_pred);
  const std::vector<int>& axes = axis.values();
  return mean(standardized(y, axes) * standardized(p, axes), axes);
}

Tensor concordance_correlation(const Tensor& y_true, const Tensor& y_pred, const layers::Axes& axis) {
  const auto [y, p] = labels_and_predictions(y_true, y_pred);
  const std::vector<int>& axes = axis.values();
  const Tensor y_mean = mean(y, axes, true);
  const Tensor p_mean = mean(p, axes, true);
  const Tensor p_centered = p - p_mean;
  const Tensor norm = variance(y - y_mean, axes, true) + variance(p_centered, axes, true) + square(y_mean - p_mean);
  // Keras takes the mean of the predictions for both.
  return mean(2.0 * ((y - p_mean) * p_centered) / (norm + context().epsilon()), axes);
}

PearsonCorrelation::PearsonCorrelation(const PearsonCorrelationOptions& options)
    : Metric(mean_metric("PearsonCorrelation", pearson_correlation, options)) {}

ConcordanceCorrelation::ConcordanceCorrelation(const ConcordanceCorrelationOptions& options)
    : Metric(mean_metric("ConcordanceCorrelation", concordance_correlation, options)) {}

}  // namespace rhyton::metrics
