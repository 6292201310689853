#include <rhyton/models/metrics/f_score.h>

#include <memory>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/metrics/reduction.h>

namespace rhyton::metrics {
namespace {

FBetaScoreOptions checked(const FBetaScoreOptions& options) {
  const auto& average = options.average;
  if (average && *average != "micro" && *average != "macro" && *average != "weighted") {
    throw ValueError(
        "Invalid `average` argument value. Expected one of: {None, 'micro', 'macro', 'weighted'}. Received: average=" +
        *average);
  }
  if (!(options.beta > 0)) {
    throw ValueError("Invalid `beta` argument value. It should be > 0. Received: beta=" +
                     io::Json(options.beta).dump());
  }
  if (options.threshold && !(*options.threshold > 0 && *options.threshold <= 1)) {
    throw ValueError("Invalid `threshold` argument value. It should verify 0 < threshold <= 1. Received: threshold=" +
                     io::Json(*options.threshold).dump());
  }
  return options;
}

class FBetaScoreImpl final : public MetricImpl {
 public:
  /// `options` in the form of the class; `arguments` are its own for the configuration.
  FBetaScoreImpl(std::string class_name, const FBetaScoreOptions& options, io::Json arguments)
      : MetricImpl(std::move(class_name), {.name = options.name, .dtype = options.dtype}),
        options_(checked(options)),
        arguments_(std::move(arguments)) {
    set_direction("up");
    if (options_.average != "micro") axes_ = {0};
  }

  void build(const TensorSpec& y_true, const TensorSpec& y_pred) override {
    const auto message = [&](const char* expected) {
      return std::string("FBetaScore expects 2D inputs with shape (batch_size, output_dim)") + expected +
             ". Received input shapes: y_pred.shape=" + y_pred.shape.to_string() +
             " and y_true.shape=" + y_true.shape.to_string() + ".";
    };
    if (y_pred.shape.rank() != 2 || y_true.shape.rank() != 2) throw ValueError(message(""));
    if (y_pred.shape[1] < 0 || y_true.shape[1] < 0) {
      throw ValueError(message(", with output_dim fully defined (not None)"));
    }
    const Shape shape = axes_.empty() ? Shape{} : Shape{y_pred.shape[1]};
    true_positives_ = add_variable(shape, "true_positives");
    false_positives_ = add_variable(shape, "false_positives");
    false_negatives_ = add_variable(shape, "false_negatives");
    intermediate_weights_ = add_variable(shape, "intermediate_weights");
  }

  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const Tensor labels = cast(y_true, dtype());
    const Tensor predictions = cast(is_positive(cast(y_pred, dtype())), dtype());
    const Tensor weights = sample_weight.is_empty() ? Tensor() : expand_dims(cast(sample_weight, dtype()), 1);
    const auto add = [&](const Variable& variable, const Tensor& values) {
      variable.assign_add(sum(weights.is_empty() ? values : values * weights, axes_));
    };
    add(true_positives_, predictions * labels);
    add(false_positives_, predictions * (1.0 - labels));
    add(false_negatives_, (1.0 - predictions) * labels);
    add(intermediate_weights_, labels);
  }

  Tensor result() const override {
    require_built();
    const double epsilon = context().epsilon();
    const double beta_squared = options_.beta * options_.beta;
    const Tensor tp = true_positives_.value();
    const Tensor precision = tp / (tp + false_positives_.value() + epsilon);
    const Tensor recall = tp / (tp + false_negatives_.value() + epsilon);
    Tensor scores = precision * recall / (beta_squared * precision + recall + epsilon) * (1.0 + beta_squared);
    if (!options_.average) return scores;
    if (*options_.average != "weighted") return mean(scores);
    const Tensor weights = intermediate_weights_.value();
    return sum(scores * (weights / (sum(weights) + epsilon)));
  }

  io::Json get_config() const override {
    io::Json config = MetricImpl::get_config();
    for (const auto& [key, value] : arguments_.items()) config[key] = value;
    return config;
  }

 private:
  Tensor is_positive(const Tensor& y_pred) const {
    if (options_.threshold) return y_pred > *options_.threshold;
    // A sample of zeros has no prediction.
    return logical_and(greater_equal(y_pred, reduce_max(y_pred, {-1}, true)), abs(y_pred) > 1e-9);
  }

  FBetaScoreOptions options_;
  io::Json arguments_;
  // Those over which counts are summed; all of them if empty.
  std::vector<int> axes_;
  Variable true_positives_;
  Variable false_positives_;
  Variable false_negatives_;
  Variable intermediate_weights_;
};

}  // namespace

FBetaScore::FBetaScore(const FBetaScoreOptions& options)
    : Metric(make_metric<FBetaScoreImpl>("FBetaScore", options, written(options))) {}

F1Score::F1Score(const F1ScoreOptions& options)
    : Metric(make_metric<FBetaScoreImpl>(
          "F1Score",
          FBetaScoreOptions{
              .average = options.average, .threshold = options.threshold, .name = options.name, .dtype = options.dtype},
          written(options))) {}

}  // namespace rhyton::metrics
