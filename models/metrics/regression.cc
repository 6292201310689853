#include <rhyton/models/metrics/regression.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/losses/hinge.h>
#include <rhyton/models/losses/reduction.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/models/metrics/reduction.h>

namespace rhyton::metrics {
namespace {

class RootMeanSquaredErrorImpl final : public MeanImpl {
 public:
  explicit RootMeanSquaredErrorImpl(const MetricOptions& options) : MeanImpl("RootMeanSquaredError", options) {}

  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const auto [y, p] = losses::squeeze_or_expand_to_same_rank(cast(y_true, dtype()), cast(y_pred, dtype()));
    update_values(squared_difference(p, y), sample_weight);
  }

  Tensor result() const override { return sqrt(MeanImpl::result()); }
};

}  // namespace

MeanSquaredError::MeanSquaredError(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("MeanSquaredError", named(options, "mean_squared_error"),
                                         losses::mean_squared_error)) {}

RootMeanSquaredError::RootMeanSquaredError(const MetricOptions& options)
    : Metric(std::make_shared<RootMeanSquaredErrorImpl>(named(options, "root_mean_squared_error"))) {}

MeanAbsoluteError::MeanAbsoluteError(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("MeanAbsoluteError", named(options, "mean_absolute_error"),
                                         losses::mean_absolute_error)) {}

MeanAbsolutePercentageError::MeanAbsolutePercentageError(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("MeanAbsolutePercentageError",
                                         named(options, "mean_absolute_percentage_error"),
                                         losses::mean_absolute_percentage_error)) {}

MeanSquaredLogarithmicError::MeanSquaredLogarithmicError(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("MeanSquaredLogarithmicError",
                                         named(options, "mean_squared_logarithmic_error"),
                                         losses::mean_squared_logarithmic_error)) {}

LogCoshError::LogCoshError(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("LogCoshError", named(options, "logcosh"), losses::log_cosh)) {}

CosineSimilarity::CosineSimilarity(const CosineSimilarityOptions& options)
    : Metric(make_metric<FunctionMetric>(
          "CosineSimilarity", named({.name = options.name, .dtype = options.dtype}, "cosine_similarity"),
          [axis = options.axis](const Tensor& y_true, const Tensor& y_pred) {
            return -losses::cosine_similarity(y_true, y_pred, axis);
          },
          written(options))) {}

Hinge::Hinge(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("Hinge", named(options, "hinge"), losses::hinge)) {}

SquaredHinge::SquaredHinge(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("SquaredHinge", named(options, "squared_hinge"), losses::squared_hinge)) {}

CategoricalHinge::CategoricalHinge(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("CategoricalHinge", named(options, "categorical_hinge"),
                                         losses::categorical_hinge)) {}

}  // namespace rhyton::metrics
