#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/models/metrics/metric.h>

namespace rhyton::metrics {

/// The weights of labels, one for each: `{0.5, 1.0, 2.0}`; none by default.
class LabelWeights {
 public:
  LabelWeights() = default;
  LabelWeights(std::initializer_list<double> values) : values_(values) {}
  LabelWeights(std::vector<double> values) : values_(std::move(values)) {}  // NOLINT(google-explicit-constructor)

  bool is_empty() const { return values_.empty(); }
  const std::vector<double>& values() const { return values_; }
  /// Null, or a tensor as Keras writes it.
  io::Json to_config() const;
  /// Reads a list or a tensor.
  static LabelWeights from_config(const io::Json& config);
  static constexpr const char* config_type = "a list of numbers";
  static constexpr bool config_is_object = true;

 private:
  std::vector<double> values_;
};

/// The options of AUC, in Keras's order except for name and dtype, which are last.
struct AUCOptions {
  ByName by_name = ByName();
  /// At least 2, evenly spaced; those at the ends are just below 0 and just above 1.
  int num_thresholds = 200;
  /// "ROC", "PR" or "PRGAIN": recall by false positive rate, precision by recall, precision gain by recall gain.
  std::string curve = "ROC";
  /// "interpolation", "minoring" or "majoring": between two thresholds the curve's mean, its lower or its higher value.
  /// The interpolation of "PR" is that of true and false positives (Davis and Goadrich, 2006).
  std::string summation_method = "interpolation";
  /// Thresholds in [0, 1] in place of evenly spaced ones, in any order; those at the ends are added.
  std::optional<std::vector<double>> thresholds = std::nullopt;
  /// Whether the result is the mean of the areas of the labels; else all labels of predictions [batch, labels] are
  /// counted together.
  bool multi_label = false;
  /// The number of labels, if `multi_label`. If it is not given, the first batch says it.
  std::optional<int> num_labels = std::nullopt;
  /// With `multi_label` the weights of the labels' areas in their mean; else those of the labels in the counts.
  LabelWeights label_weights = {};
  /// Whether predictions are logits, of which the sigmoid is taken.
  bool from_logits = false;
  std::string name = {};
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("num_thresholds", self.num_thresholds);
    fields("curve", self.curve);
    fields("summation_method", self.summation_method);
    fields("multi_label", self.multi_label);
    fields("num_labels", self.num_labels);
    fields("label_weights", self.label_weights);
    fields("from_logits", self.from_logits);
    fields.unless_default("thresholds", self.thresholds, AUCOptions().thresholds);  // Keras omits even ones
  }
};

/// The area under a curve of a classifier's counts at many thresholds, an approximation by the sum over them. Labels
/// other than 0 are true; labels, predictions and weights are those of <rhyton/models/metrics/confusion.h>. The state
/// is `true_positives`, `false_positives`, `true_negatives` and `false_negatives`, [thresholds], with `multi_label`
/// [thresholds, labels]. A batch costs O(predictions + thresholds) for evenly spaced thresholds, else O(predictions ·
/// thresholds).
///
/// Throws ValueError for an unknown curve or method, fewer than 2 thresholds, `num_labels` without `multi_label`, and,
/// with `multi_label`, for predictions of another rank than 2.
/// https://keras.io/api/metrics/classification_metrics/#auc-class
class AUC : public Metric {
 public:
  explicit AUC(const AUCOptions& options = {});
};

}  // namespace rhyton::metrics
