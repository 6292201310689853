#pragma once

#include <string>

#include <rhyton/models/metrics/metric.h>

// Accuracies. The functions give 1 or 0 per sample, of `floatx`; the classes take the mean.

namespace rhyton::metrics {

/// y = p, elementwise.
Tensor accuracy(const Tensor& y_true, const Tensor& y_pred);
/// y = (p > threshold), elementwise. (`keras.metrics.binary_accuracy`)
Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred, double threshold = 0.5);
/// Whether one-hot (or probability) labels and predictions [batch, …, classes] are largest at the same class.
/// (`keras.metrics.categorical_accuracy`)
Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// Whether predictions [batch, …, classes] are largest at the class in y_true [batch, …] or [batch, …, 1].
/// (`keras.metrics.sparse_categorical_accuracy`)
Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// Whether the class at which one-hot labels are largest is among the k most probable ones; classes that tie with the
/// k-th count. (`keras.metrics.top_k_categorical_accuracy`)
Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int k = 5);
/// The same for class indices as labels. With `from_sorted_ids`, y_pred holds class indices, the most probable first.
/// (`keras.metrics.sparse_top_k_categorical_accuracy`)
Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int k = 5,
                                         bool from_sorted_ids = false);

/// The mean of `accuracy`. https://keras.io/api/metrics/accuracy_metrics/#accuracy-class
class Accuracy : public Metric {
 public:
  explicit Accuracy(const MetricOptions& options = {});
};

/// The options of BinaryAccuracy, in Keras's order except for the name, which is last.
struct BinaryAccuracyOptions {
  ByName by_name = ByName();
  double threshold = 0.5;
  std::string name = "binary_accuracy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("threshold", self.threshold);
  }
};

/// The mean of `binary_accuracy`.
/// https://keras.io/api/metrics/accuracy_metrics/#binaryaccuracy-class
class BinaryAccuracy : public Metric {
 public:
  explicit BinaryAccuracy(const BinaryAccuracyOptions& options = {});
};

/// The mean of `categorical_accuracy`. https://keras.io/api/metrics/accuracy_metrics/#categoricalaccuracy-class
class CategoricalAccuracy : public Metric {
 public:
  explicit CategoricalAccuracy(const MetricOptions& options = {});
};

/// The mean of `sparse_categorical_accuracy`.
/// https://keras.io/api/metrics/accuracy_metrics/#sparsecategoricalaccuracy-class
class SparseCategoricalAccuracy : public Metric {
 public:
  explicit SparseCategoricalAccuracy(const MetricOptions& options = {});
};

/// The options of TopKCategoricalAccuracy, in Keras's order.
struct TopKCategoricalAccuracyOptions {
  ByName by_name = ByName();
  int k = 5;
  std::string name = "top_k_categorical_accuracy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("k", self.k);
  }
};

/// The mean of `top_k_categorical_accuracy`.
/// https://keras.io/api/metrics/accuracy_metrics/#topkcategoricalaccuracy-class
class TopKCategoricalAccuracy : public Metric {
 public:
  explicit TopKCategoricalAccuracy(const TopKCategoricalAccuracyOptions& options = {});
};

/// The options of SparseTopKCategoricalAccuracy, in Keras's order except for name and dtype, which are last.
struct SparseTopKCategoricalAccuracyOptions {
  ByName by_name = ByName();
  int k = 5;
  bool from_sorted_ids = false;
  std::string name = "sparse_top_k_categorical_accuracy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("k", self.k);
    fields.unless_default("from_sorted_ids", self.from_sorted_ids,
                          SparseTopKCategoricalAccuracyOptions().from_sorted_ids);  // Keras omits it and reads it
  }
};

/// The mean of `sparse_top_k_categorical_accuracy`.
/// https://keras.io/api/metrics/accuracy_metrics/#sparsetopkcategoricalaccuracy-class
class SparseTopKCategoricalAccuracy : public Metric {
 public:
  explicit SparseTopKCategoricalAccuracy(const SparseTopKCategoricalAccuracyOptions& options = {});
};

}  // namespace rhyton::metrics
