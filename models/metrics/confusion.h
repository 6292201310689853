#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/models/metrics/metric.h>

// Metrics of predictions of truth values, above or not above thresholds. Labels other than 0 are true. Labels and
// predictions have one shape, up to a last axis of length 1; `sample_weight` is of shape [batch], or has the axes of
// the labels, and broadcasts to them. As in Keras, masks are not used.

namespace rhyton::metrics {

/// No threshold, one, or several: `0.5` or `{0.2, 0.8}`. With several, a metric's result is a vector with an element
/// for each.
class Thresholds {
 public:
  Thresholds() = default;
  Thresholds(double threshold) : values_{threshold} {}  // NOLINT(google-explicit-constructor): a number is one
  Thresholds(std::initializer_list<double> thresholds) : values_(thresholds), is_list_(true) {}
  Thresholds(std::vector<double> thresholds) : values_(std::move(thresholds)), is_list_(true) {}  // NOLINT

  bool is_empty() const { return values_.empty(); }
  const std::vector<double>& values() const { return values_; }
  /// Null, a number or a list.
  io::Json to_config() const;
  static Thresholds from_config(const io::Json& config);
  static constexpr const char* config_type = "a number or a list of numbers";

 private:
  std::vector<double> values_;
  bool is_list_ = false;
};

/// The options of the counts, in Keras's order.
struct ConfusionCountOptions {
  ByName by_name = ByName();
  /// In [0, 1]; 0.5 if there is none. For logits set 0.
  Thresholds thresholds = {};
  /// The class's name in snake case if empty.
  std::string name = {};
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("thresholds", self.thresholds);
  }
};

/// The number, or sum of the weights, of false positives: of labels 0 that are predicted as positive.
/// The state is `accumulator`, [thresholds]. Throws ValueError for a threshold outside of [0, 1].
/// https://keras.io/api/metrics/classification_metrics/#falsepositives-class
class FalsePositives : public Metric {
 public:
  explicit FalsePositives(const ConfusionCountOptions& options = {});
};

/// The number, or sum of the weights, of false negatives: of labels other than 0 that are predicted as negative.
/// The state is `accumulator`, [thresholds]. Throws ValueError for a threshold outside of [0, 1].
/// https://keras.io/api/metrics/classification_metrics/#falsenegatives-class
class FalseNegatives : public Metric {
 public:
  explicit FalseNegatives(const ConfusionCountOptions& options = {});
};

/// The number, or sum of the weights, of true negatives: of labels 0 that are predicted as negative.
/// The state is `accumulator`, [thresholds]. Throws ValueError for a threshold outside of [0, 1].
/// https://keras.io/api/metrics/classification_metrics/#truenegatives-class
class TrueNegatives : public Metric {
 public:
  explicit TrueNegatives(const ConfusionCountOptions& options = {});
};

/// The number, or sum of the weights, of true positives: of labels other than 0 that are predicted as positive.
/// The state is `accumulator`, [thresholds]. Throws ValueError for a threshold outside of [0, 1].
/// https://keras.io/api/metrics/classification_metrics/#truepositives-class
class TruePositives : public Metric {
 public:
  explicit TruePositives(const ConfusionCountOptions& options = {});
};

/// The options of Precision, in Keras's order.
struct PrecisionOptions {
  ByName by_name = ByName();
  /// In [0, 1]. If there is none 0.5, or with `top_k` below all predictions.
  Thresholds thresholds = {};
  /// Only the k largest predictions of the last axis can be positive.
  std::optional<int> top_k = std::nullopt;
  /// Only this class, an index of the last axis, counts.
  std::optional<int> class_id = std::nullopt;
  /// The class's name in snake case if empty.
  std::string name = {};
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("thresholds", self.thresholds);
    fields("top_k", self.top_k);
    fields("class_id", self.class_id);
  }
};

/// The part of the positive predictions whose label is true: true positives / (true positives + false positives), 0
/// without any. The state is `true_positives` and `false_positives`, [thresholds].
///
/// Throws ValueError for a threshold outside of [0, 1]. https://keras.io/api/metrics/classification_metrics/#precision-class
class Precision : public Metric {
 public:
  explicit Precision(const PrecisionOptions& options = {});
};

/// The options of Recall, in Keras's order.
struct RecallOptions {
  ByName by_name = ByName();
  /// In [0, 1]. If there is none 0.5, or with `top_k` below all predictions.
  Thresholds thresholds = {};
  /// Only the k largest predictions of the last axis can be positive.
  std::optional<int> top_k = std::nullopt;
  /// Only this class, an index of the last axis, counts.
  std::optional<int> class_id = std::nullopt;
  /// The class's name in snake case if empty.
  std::string name = {};
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("thresholds", self.thresholds);
    fields("top_k", self.top_k);
    fields("class_id", self.class_id);
  }
};

/// The part of the true labels that are predicted as positive: true positives / (true positives + false negatives), 0
/// without any. The state is `true_positives` and `false_negatives`, [thresholds].
///
/// Throws ValueError for a threshold outside of [0, 1]. https://keras.io/api/metrics/classification_metrics/#recall-class
class Recall : public Metric {
 public:
  explicit Recall(const RecallOptions& options = {});
};

/// The options of SensitivityAtSpecificity, in Keras's order.
struct SensitivityAtSpecificityOptions {
  ByName by_name = ByName();
  /// The thresholds are evenly spaced from 0 to 1; a single one is 0.5.
  int num_thresholds = 200;
  /// Only this class, an index of the last axis, counts.
  std::optional<int> class_id = std::nullopt;
  /// The class's name in snake case if empty.
  std::string name = {};
  std::string dtype = {};
};

/// All arguments of SensitivityAtSpecificity.
struct SensitivityAtSpecificityArguments : SensitivityAtSpecificityOptions {
  double specificity = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("class_id", self.class_id);
    fields("num_thresholds", self.num_thresholds);
    fields.required("specificity", self.specificity);
  }
};

/// The largest sensitivity, true positives / (true positives + false negatives), among the thresholds at which the
/// specificity, true negatives / (true negatives + false positives), is at least the given one; 0 if
/// there is none. The state is `true_positives`, `false_positives`, `true_negatives` and `false_negatives`,
/// [num_thresholds].
///
/// Throws ValueError for a `specificity` outside of [0, 1] and for `num_thresholds` below 1.
/// https://keras.io/api/metrics/classification_metrics/#sensitivityatspecificity-class
class SensitivityAtSpecificity : public Metric {
 public:
  using Arguments = SensitivityAtSpecificityArguments;

  explicit SensitivityAtSpecificity(double specificity, const SensitivityAtSpecificityOptions& options = {});
  static SensitivityAtSpecificity from_arguments(const Arguments& arguments);

 private:
  explicit SensitivityAtSpecificity(const Metric& metric) : Metric(metric) {}
};

/// The options of SpecificityAtSensitivity, in Keras's order.
struct SpecificityAtSensitivityOptions {
  ByName by_name = ByName();
  /// The thresholds are evenly spaced from 0 to 1; a single one is 0.5.
  int num_thresholds = 200;
  /// Only this class, an index of the last axis, counts.
  std::optional<int> class_id = std::nullopt;
  /// The class's name in snake case if empty.
  std::string name = {};
  std::string dtype = {};
};

/// All arguments of SpecificityAtSensitivity.
struct SpecificityAtSensitivityArguments : SpecificityAtSensitivityOptions {
  double sensitivity = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("class_id", self.class_id);
    fields("num_thresholds", self.num_thresholds);
    fields.required("sensitivity", self.sensitivity);
  }
};

/// The largest specificity, true negatives / (true negatives + false positives), among the thresholds at which the
/// sensitivity, true positives / (true positives + false negatives), is at least the given one; 0 if
/// there is none. The state is `true_positives`, `false_positives`, `true_negatives` and `false_negatives`,
/// [num_thresholds].
///
/// Throws ValueError for a `sensitivity` outside of [0, 1] and for `num_thresholds` below 1.
/// https://keras.io/api/metrics/classification_metrics/#specificityatsensitivity-class
class SpecificityAtSensitivity : public Metric {
 public:
  using Arguments = SpecificityAtSensitivityArguments;

  explicit SpecificityAtSensitivity(double sensitivity, const SpecificityAtSensitivityOptions& options = {});
  static SpecificityAtSensitivity from_arguments(const Arguments& arguments);

 private:
  explicit SpecificityAtSensitivity(const Metric& metric) : Metric(metric) {}
};

/// The options of PrecisionAtRecall, in Keras's order.
struct PrecisionAtRecallOptions {
  ByName by_name = ByName();
  /// The thresholds are evenly spaced from 0 to 1; a single one is 0.5.
  int num_thresholds = 200;
  /// Only this class, an index of the last axis, counts.
  std::optional<int> class_id = std::nullopt;
  /// The class's name in snake case if empty.
  std::string name = {};
  std::string dtype = {};
};

/// All arguments of PrecisionAtRecall.
struct PrecisionAtRecallArguments : PrecisionAtRecallOptions {
  double recall = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("class_id", self.class_id);
    fields("num_thresholds", self.num_thresholds);
    fields.required("recall", self.recall);
  }
};

/// The largest precision, true positives / (true positives + false positives), among the thresholds at which the
/// recall, true positives / (true positives + false negatives), is at least the given one; 0 if
/// there is none. The state is `true_positives`, `false_positives`, `true_negatives` and `false_negatives`,
/// [num_thresholds].
///
/// Throws ValueError for a `recall` outside of [0, 1] and for `num_thresholds` below 1.
/// https://keras.io/api/metrics/classification_metrics/#precisionatrecall-class
class PrecisionAtRecall : public Metric {
 public:
  using Arguments = PrecisionAtRecallArguments;

  explicit PrecisionAtRecall(double recall, const PrecisionAtRecallOptions& options = {});
  static PrecisionAtRecall from_arguments(const Arguments& arguments);

 private:
  explicit PrecisionAtRecall(const Metric& metric) : Metric(metric) {}
};

/// The options of RecallAtPrecision, in Keras's order.
struct RecallAtPrecisionOptions {
  ByName by_name = ByName();
  /// The thresholds are evenly spaced from 0 to 1; a single one is 0.5.
  int num_thresholds = 200;
  /// Only this class, an index of the last axis, counts.
  std::optional<int> class_id = std::nullopt;
  /// The class's name in snake case if empty.
  std::string name = {};
  std::string dtype = {};
};

/// All arguments of RecallAtPrecision.
struct RecallAtPrecisionArguments : RecallAtPrecisionOptions {
  double precision = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("class_id", self.class_id);
    fields("num_thresholds", self.num_thresholds);
    fields.required("precision", self.precision);
  }
};

/// The largest recall, true positives / (true positives + false negatives), among the thresholds at which the
/// precision, true positives / (true positives + false positives), is at least the given one; 0 if
/// there is none. The state is `true_positives`, `false_positives`, `true_negatives` and `false_negatives`,
/// [num_thresholds].
///
/// Throws ValueError for a `precision` outside of [0, 1] and for `num_thresholds` below 1.
/// https://keras.io/api/metrics/classification_metrics/#recallatprecision-class
class RecallAtPrecision : public Metric {
 public:
  using Arguments = RecallAtPrecisionArguments;

  explicit RecallAtPrecision(double precision, const RecallAtPrecisionOptions& options = {});
  static RecallAtPrecision from_arguments(const Arguments& arguments);

 private:
  explicit RecallAtPrecision(const Metric& metric) : Metric(metric) {}
};

}  // namespace rhyton::metrics
