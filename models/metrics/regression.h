#pragma once

#include <optional>
#include <string>

#include <rhyton/models/metrics/metric.h>

// Means of the losses of <rhyton/models/losses/regression.h> and <rhyton/models/losses/hinge.h>.

namespace rhyton::metrics {

/// The mean of `losses::mean_squared_error`. https://keras.io/api/metrics/regression_metrics/#meansquarederror-class
class MeanSquaredError : public Metric {
 public:
  explicit MeanSquaredError(const MetricOptions& options = {});
};

/// The root of the mean of (y - p)². https://keras.io/api/metrics/regression_metrics/#rootmeansquarederror-class
class RootMeanSquaredError : public Metric {
 public:
  explicit RootMeanSquaredError(const MetricOptions& options = {});
};

/// The mean of `losses::mean_absolute_error`. https://keras.io/api/metrics/regression_metrics/#meanabsoluteerror-class
class MeanAbsoluteError : public Metric {
 public:
  explicit MeanAbsoluteError(const MetricOptions& options = {});
};

/// The mean of `losses::mean_absolute_percentage_error`.
/// https://keras.io/api/metrics/regression_metrics/#meanabsolutepercentageerror-class
class MeanAbsolutePercentageError : public Metric {
 public:
  explicit MeanAbsolutePercentageError(const MetricOptions& options = {});
};

/// The mean of `losses::mean_squared_logarithmic_error`.
/// https://keras.io/api/metrics/regression_metrics/#meansquaredlogarithmicerror-class
class MeanSquaredLogarithmicError : public Metric {
 public:
  explicit MeanSquaredLogarithmicError(const MetricOptions& options = {});
};

/// The mean of `losses::log_cosh`, named "logcosh".
/// https://keras.io/api/metrics/regression_metrics/#logcosherror-class
class LogCoshError : public Metric {
 public:
  explicit LogCoshError(const MetricOptions& options = {});
};

/// The options of CosineSimilarity, in Keras's order except for name and dtype, which are last.
struct CosineSimilarityOptions {
  ByName by_name = ByName();
  int axis = -1;
  std::string name = "cosine_similarity";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.unless_default("axis", self.axis, CosineSimilarityOptions().axis);  // Keras omits it and reads it
  }
};

/// The mean of Σ y·p / (‖y‖ ‖p‖) along `axis`: 1 for the same direction. (The loss has the opposite sign.)
/// https://keras.io/api/metrics/regression_metrics/#cosinesimilarity-class
class CosineSimilarity : public Metric {
 public:
  explicit CosineSimilarity(const CosineSimilarityOptions& options = {});
};

/// The mean of `losses::hinge`. https://keras.io/api/metrics/hinge_metrics/#hinge-class
class Hinge : public Metric {
 public:
  explicit Hinge(const MetricOptions& options = {});
};

/// The mean of `losses::squared_hinge`. https://keras.io/api/metrics/hinge_metrics/#squaredhinge-class
class SquaredHinge : public Metric {
 public:
  explicit SquaredHinge(const MetricOptions& options = {});
};

/// The mean of `losses::categorical_hinge`. https://keras.io/api/metrics/hinge_metrics/#categoricalhinge-class
class CategoricalHinge : public Metric {
 public:
  explicit CategoricalHinge(const MetricOptions& options = {});
};

/// The options of R2Score, in Keras's order.
struct R2ScoreOptions {
  ByName by_name = ByName();
  /// "uniform_average" is the mean of the outputs' scores, "variance_weighted_average" their mean weighted by the
  /// variances of the labels. Without it the result is a vector of the scores.
  std::optional<std::string> class_aggregation = "uniform_average";
  /// The number of independent regressors, for the adjusted score; 0 for the score itself.
  int num_regressors = 0;
  std::string name = "r2_score";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("class_aggregation", self.class_aggregation);
    fields("num_regressors", self.num_regressors);
  }
};

/// The coefficient of determination, 1 - Σ(y - p)² / Σ(y - mean(y))², of labels and predictions [batch, outputs]; 0
/// where labels are constant, NaN before the first batch. `sample_weight` is a number, [batch], or has the axes of the
/// labels. With regressors it is 1 - (1 - score) · (n - 1) / (n - regressors - 1), where n is the number of labels,
/// unless n is too small for that. The state is `num_samples`, and, made at the first batch, `squared_sum`, `sum`,
/// `residual` and `count`, [outputs].
///
/// Throws ValueError for an unknown aggregation, a negative number of regressors, and for labels or predictions of
/// another rank than 2. https://keras.io/api/metrics/regression_metrics/#r2score-class
class R2Score : public Metric {
 public:
  explicit R2Score(const R2ScoreOptions& options = {});
};

}  // namespace rhyton::metrics
