#include <rhyton/models/metrics/auc.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/metrics/confusion_counts.h>

namespace rhyton::metrics {
namespace {

std::string curve_named(const std::string& name) {
  if (name == "pr" || name == "PR") return "PR";
  if (name == "roc" || name == "ROC") return "ROC";
  if (name == "prgain" || name == "PRGAIN") return "PRGAIN";
  throw ValueError("Invalid AUC curve value: \"" + name + "\". Expected values are [\"PR\", \"ROC\", \"PRGAIN\"]");
}

std::string summation_method_named(const std::string& name) {
  if (name == "interpolation" || name == "Interpolation") return "interpolation";
  if (name == "majoring" || name == "Majoring") return "majoring";
  if (name == "minoring" || name == "Minoring") return "minoring";
  throw ValueError("Invalid AUC summation method value: \"" + name +
                   "\". Expected values are [\"interpolation\", \"majoring\", \"minoring\"]");
}

/// The options with the number of thresholds, and thresholds and names in the form in which they are saved.
AUCOptions resolved(AUCOptions options) {
  if (options.thresholds) {
    std::sort(options.thresholds->begin(), options.thresholds->end());
    options.num_thresholds = static_cast<int>(options.thresholds->size()) + 2;
  } else if (options.num_thresholds <= 1) {
    throw ValueError("Argument `num_thresholds` must be an integer > 1. Received: num_thresholds=" +
                     std::to_string(options.num_thresholds));
  }
  options.curve = curve_named(options.curve);
  options.summation_method = summation_method_named(options.summation_method);
  if (options.num_labels.value_or(0) != 0 && !options.multi_label) {
    throw ValueError("`num_labels` is needed only when `multi_label` is True.");
  }
  return options;
}

ConfusionOptions confusion_of(const AUCOptions& options) {
  ConfusionOptions confusion{.multi_label = options.multi_label};
  std::vector<double>& thresholds = confusion.thresholds;
  if (options.thresholds) {
    thresholds.push_back(0.0);
    thresholds.insert(thresholds.end(), options.thresholds->begin(), options.thresholds->end());
    thresholds.push_back(1.0);
  } else {
    thresholds = even_thresholds(options.num_thresholds);
  }
  confusion.is_even = !options.thresholds || are_even(thresholds);
  // Predictions of 0 are above the first threshold, those of 1 below the last one.
  thresholds.front() -= context().epsilon();
  thresholds.back() += context().epsilon();
  return confusion;
}

class AUCImpl final : public MetricImpl {
 public:
  explicit AUCImpl(const AUCOptions& options)
      : MetricImpl("AUC", {.name = options.name, .dtype = options.dtype}),
        options_(resolved(options)),
        confusion_(confusion_of(options_)) {
    set_direction("up");
    if (!options_.label_weights.is_empty()) {
      const InitScope eager;
      const std::vector<double>& weights = options_.label_weights.values();
      label_weights_ = cast(Tensor::from_data<double>({static_cast<std::int64_t>(weights.size())}, weights), dtype());
      if (!options_.multi_label) confusion_.label_weights = label_weights_;
    }
    if (!options_.multi_label) {
      make_variables({options_.num_thresholds});
    } else if (!learns_labels()) {
      make_variables({options_.num_thresholds, *options_.num_labels});
    }
  }

  void build(const TensorSpec& /*y_true*/, const TensorSpec& y_pred) override {
    if (!learns_labels()) return;
    if (y_pred.shape.rank() != 2) {
      throw ValueError("`y_pred` must have rank 2 when `multi_label=True`. Found rank " +
                       std::to_string(y_pred.shape.rank()) +
                       ". Full shape received for `y_pred`: " + y_pred.shape.to_string());
    }
    make_variables({options_.num_thresholds, y_pred.shape[1]});
  }

  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    add_confusion({.true_positives = &true_positives_,
                   .false_positives = &false_positives_,
                   .true_negatives = &true_negatives_,
                   .false_negatives = &false_negatives_},
                  confusion_, y_true, options_.from_logits ? sigmoid(y_pred) : y_pred, sample_weight);
  }

  Tensor result() const override {
    if (learns_labels()) require_built();
    if (options_.curve == "PR" && options_.summation_method == "interpolation") return total(interpolated_areas());
    const auto [x, y] = points();
    const Tensor heights = [&, y = y] {
      const Tensor left = lower(y);
      const Tensor right = upper(y);
      if (options_.summation_method == "interpolation") return (left + right) / 2.0;
      return options_.summation_method == "minoring" ? minimum(left, right) : maximum(left, right);
    }();
    return total((lower(x) - upper(x)) * heights);
  }

  io::Json get_config() const override { return written(MetricImpl::get_config(), options_); }

 private:
  /// Whether the number of labels, on which the shapes of the variables depend, is that of the first predictions.
  bool learns_labels() const { return options_.multi_label && options_.num_labels.value_or(0) == 0; }

  void make_variables(const Shape& shape) {
    true_positives_ = add_variable(shape, "true_positives", floatx());
    false_positives_ = add_variable(shape, "false_positives", floatx());
    true_negatives_ = add_variable(shape, "true_negatives", floatx());
    false_negatives_ = add_variable(shape, "false_negatives", floatx());
  }

  /// The values at the lower and at the upper thresholds of the intervals.
  Tensor lower(const Tensor& values) const { return slice_axis(values, 0, 0, options_.num_thresholds - 1); }
  Tensor upper(const Tensor& values) const { return slice_axis(values, 0, 1, options_.num_thresholds); }

  struct Points {
    Tensor x;
    Tensor y;
  };

  /// The curve at the thresholds.
  Points points() const {
    const Tensor tp = true_positives_.value();
    const Tensor fp = false_positives_.value();
    const Tensor tn = true_negatives_.value();
    const Tensor fn = false_negatives_.value();
    if (options_.curve == "PRGAIN") {
      const Tensor none = equal(tp, 0.0);
      const Tensor scale = divide_no_nan(tp + fn, tn + fp);
      const Tensor recall_gain = where(none, 0.0, 1.0 - scale * divide_no_nan(fn, tp));
      const Tensor precision_gain = where(none, 1.0, 1.0 - scale * divide_no_nan(fp, tp));
      return {maximum(recall_gain, 0.0), precision_gain};
    }
    const Tensor recall = divide_no_nan(tp, tp + fn);
    if (options_.curve == "PR") return {recall, divide_no_nan(tp, tp + fp)};
    return {divide_no_nan(fp, fp + tn), recall};
  }

  /// The areas under precision by recall where true and false positives are linear between two thresholds: with P = TP
  /// + FP, slope · (ΔTP + (TP - slope · P) · log(P_lower / P_upper)) / (TP + FN), where slope is ΔTP / ΔP.
  Tensor interpolated_areas() const {
    const Tensor tp = true_positives_.value();
    const Tensor p = tp + false_positives_.value();
    const Tensor dtp = lower(tp) - upper(tp);
    const Tensor slope = divide_no_nan(dtp, maximum(lower(p) - upper(p), 0.0));
    const Tensor intercept = upper(tp) - slope * upper(p);
    const Tensor ratio =
        where(logical_and(lower(p) > 0.0, upper(p) > 0.0), divide_no_nan(lower(p), maximum(upper(p), 0.0)), 1.0);
    return divide_no_nan(slope * (dtp + intercept * log(ratio)),
                         maximum(upper(tp) + upper(false_negatives_.value()), 0.0));
  }

  Tensor total(const Tensor& areas) const {
    if (!options_.multi_label) return sum(areas);
    const Tensor by_label = sum(areas, {0});
    if (label_weights_.is_empty()) return mean(by_label);
    return divide_no_nan(sum(by_label * label_weights_), sum(label_weights_));
  }

  AUCOptions options_;
  ConfusionOptions confusion_;
  Tensor label_weights_;
  Variable true_positives_;
  Variable false_positives_;
  Variable true_negatives_;
  Variable false_negatives_;
};

}  // namespace

io::Json LabelWeights::to_config() const {
  if (is_empty()) return {};
  std::vector<double> rounded;
  for (const double value : values_) rounded.push_back(static_cast<double>(static_cast<float>(value)));
  return io::Json::object(
      {{"class_name", "__tensor__"},
       {"config", io::Json::object({{"value", io::Json::array_from(rounded)}, {"dtype", "float32"}})}});
}

LabelWeights LabelWeights::from_config(const io::Json& config) {
  if (config.is_object()) return from_config(config["config"]["value"]);
  std::vector<double> values;
  for (const io::Json& value : config) values.push_back(value.as_double());
  return values;
}

AUC::AUC(const AUCOptions& options) : Metric(make_metric<AUCImpl>(options)) {}

}  // namespace rhyton::metrics
