#pragma once

#include <string>

#include <rhyton/layers/axes.h>
#include <rhyton/models/metrics/metric.h>

// Correlations of labels and predictions along an axis, which drops out. Both have one shape, up to a last axis of
// length 1; the results have the dtype of y_pred.

namespace rhyton::metrics {

/// The mean of (y - mean(y)) · (p - mean(p)) / (std(y) · std(p)), in [-1, 1]; NaN where either is constant.
/// (`keras.metrics.pearson_correlation`)
Tensor pearson_correlation(const Tensor& y_true, const Tensor& y_pred, const layers::Axes& axis = -1);
/// The mean of 2 · (y - mean(p)) · (p - mean(p)) / (var(y) + var(p) + (mean(y) - mean(p))²), which also falls with the
/// distance of the means. (`keras.metrics.concordance_correlation`)
Tensor concordance_correlation(const Tensor& y_true, const Tensor& y_pred, const layers::Axes& axis = -1);

/// The options of PearsonCorrelation, in Keras's order.
struct PearsonCorrelationOptions {
  ByName by_name = ByName();
  std::string name = "pearson_correlation";
  std::string dtype = {};
  layers::Axes axis = -1;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis);
  }
};

/// The mean of `pearson_correlation`. https://keras.io/api/metrics/correlation_metrics/#pearsoncorrelation-class
class PearsonCorrelation : public Metric {
 public:
  explicit PearsonCorrelation(const PearsonCorrelationOptions& options = {});
};

/// The options of ConcordanceCorrelation, in Keras's order.
struct ConcordanceCorrelationOptions {
  ByName by_name = ByName();
  std::string name = "concordance_correlation";
  std::string dtype = {};
  layers::Axes axis = -1;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis);
  }
};

/// The mean of `concordance_correlation`.
/// https://keras.io/api/metrics/correlation_metrics/#concordancecorrelation-class
class ConcordanceCorrelation : public Metric {
 public:
  explicit ConcordanceCorrelation(const ConcordanceCorrelationOptions& options = {});
};

}  // namespace rhyton::metrics
