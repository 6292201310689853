#include <rhyton/models/metrics/regression.h>

#include <memory>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/special_values.h>
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

R2ScoreOptions checked(const R2ScoreOptions& options) {
  const auto& aggregation = options.class_aggregation;
  if (aggregation && *aggregation != "uniform_average" && *aggregation != "variance_weighted_average") {
    throw ValueError(
        "Invalid value for argument `class_aggregation`. Expected one of (None, 'uniform_average', "
        "'variance_weighted_average'). Received: class_aggregation=" +
        *aggregation);
  }
  if (options.num_regressors < 0) {
    throw ValueError("Invalid value for argument `num_regressors`. Expected a value >= 0. Received: num_regressors=" +
                     std::to_string(options.num_regressors));
  }
  return options;
}

class R2ScoreImpl final : public MetricImpl {
 public:
  explicit R2ScoreImpl(const R2ScoreOptions& options)
      : MetricImpl("R2Score", {.name = options.name, .dtype = options.dtype}),
        options_(checked(options)),
        num_samples_(add_variable({}, "num_samples", floatx())) {
    set_direction("up");
  }

  void build(const TensorSpec& y_true, const TensorSpec& y_pred) override {
    const auto [y, p] = shapes_of_one_rank(y_true.shape, y_pred.shape);
    const auto message = [&, y = y, p = p](const char* expected) {
      return std::string("R2Score expects 2D inputs with shape (batch_size, output_dim)") + expected +
             ". Received input shapes: y_pred.shape=" + p.to_string() + " and y_true.shape=" + y.to_string() + ".";
    };
    if (p.rank() != 2 || y.rank() != 2) throw ValueError(message(""));
    if (p[1] < 0 || y[1] < 0) throw ValueError(message(", with output_dim fully defined (not None)"));
    squared_sum_ = add_variable({p[1]}, "squared_sum", floatx());
    sum_ = add_variable({p[1]}, "sum", floatx());
    residual_ = add_variable({p[1]}, "residual", floatx());
    count_ = add_variable({p[1]}, "count", floatx());
  }

  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const auto [y, p] = losses::squeeze_or_expand_to_same_rank(cast(y_true, dtype()), cast(y_pred, dtype()));
    Tensor weights = sample_weight.is_empty() ? Tensor::full({}, 1.0, dtype()) : cast(sample_weight, dtype());
    if (weights.rank() == 1) weights = expand_dims(weights, 1);
    weights = broadcast_to(weights, y.shape());
    const Tensor weighted = y * weights;
    const auto add = [](const Variable& variable, const Tensor& values) {
      variable.assign_add(cast(sum(values, {0}), variable.dtype()));
    };
    add(sum_, weighted);
    add(squared_sum_, y * weighted);
    add(residual_, squared_difference(y, p) * weights);
    add(count_, weights);
    num_samples_.assign_add(Tensor::full({}, static_cast<double>(y.shape().size()), num_samples_.dtype()));
  }

  Tensor result() const override {
    require_built();
    const Tensor sums = sum_.value();
    const Tensor total = squared_sum_.value() - sums * (sums / count_.value());
    const Tensor raw = 1.0 - residual_.value() / total;
    const Tensor scores = where(isinf(raw), 0.0, raw);
    Tensor score = scores;
    if (options_.class_aggregation == "uniform_average") {
      score = mean(scores);
    } else if (options_.class_aggregation == "variance_weighted_average") {
      score = sum(total * scores) / sum(total);
    }
    if (options_.num_regressors == 0) return score;
    const Tensor n = num_samples_.value();
    const double regressors = options_.num_regressors;
    const Tensor adjusted = 1.0 - (1.0 - score) * (n - 1.0) / (n - regressors - 1.0);
    return where(regressors >= n - 1.0, score, adjusted);
  }

  io::Json get_config() const override { return written(MetricImpl::get_config(), options_); }

 private:
  static std::pair<Shape, Shape> shapes_of_one_rank(const Shape& y_true, const Shape& y_pred) {
    ShapeInferenceScope inference;
    const auto [y, p] = losses::squeeze_or_expand_to_same_rank(inference.placeholder({y_true, DType::float32}),
                                                               inference.placeholder({y_pred, DType::float32}));
    return {y.shape(), p.shape()};
  }

  R2ScoreOptions options_;
  Variable num_samples_;
  Variable squared_sum_;
  Variable sum_;
  Variable residual_;
  Variable count_;
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

R2Score::R2Score(const R2ScoreOptions& options) : Metric(make_metric<R2ScoreImpl>(options)) {}

}  // namespace rhyton::metrics
