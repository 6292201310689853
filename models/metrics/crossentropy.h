#pragma once

#include <optional>
#include <string>

#include <rhyton/models/metrics/metric.h>

// Means of the crossentropies of <rhyton/models/losses/crossentropy.h>.

namespace rhyton::metrics {

/// The options of BinaryCrossentropy, in Keras's order except for name and dtype, which are last.
struct BinaryCrossentropyOptions {
  ByName by_name = ByName();
  bool from_logits = false;
  double label_smoothing = 0.0;
  std::string name = "binary_crossentropy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("from_logits", self.from_logits);
    fields("label_smoothing", self.label_smoothing);
  }
};

/// The mean of `losses::binary_crossentropy`.
/// https://keras.io/api/metrics/probabilistic_metrics/#binarycrossentropy-class
class BinaryCrossentropy : public Metric {
 public:
  explicit BinaryCrossentropy(const BinaryCrossentropyOptions& options = {});
};

/// The options of CategoricalCrossentropy, in Keras's order except for name and dtype, which are last.
struct CategoricalCrossentropyOptions {
  ByName by_name = ByName();
  bool from_logits = false;
  double label_smoothing = 0.0;
  int axis = -1;
  std::string name = "categorical_crossentropy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("from_logits", self.from_logits);
    fields("label_smoothing", self.label_smoothing);
    fields("axis", self.axis);
  }
};

/// The mean of `losses::categorical_crossentropy`.
/// https://keras.io/api/metrics/probabilistic_metrics/#categoricalcrossentropy-class
class CategoricalCrossentropy : public Metric {
 public:
  explicit CategoricalCrossentropy(const CategoricalCrossentropyOptions& options = {});
};

/// The options of SparseCategoricalCrossentropy, in Keras's order except for name and dtype, which are last.
struct SparseCategoricalCrossentropyOptions {
  ByName by_name = ByName();
  bool from_logits = false;
  /// Samples with this label have the value 0. As in Keras they count in the mean, except where there are weights.
  std::optional<int> ignore_class = std::nullopt;
  int axis = -1;
  std::string name = "sparse_categorical_crossentropy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("from_logits", self.from_logits);
    fields("ignore_class", self.ignore_class);
    fields("axis", self.axis);
  }
};

/// The mean of `losses::sparse_categorical_crossentropy`.
/// https://keras.io/api/metrics/probabilistic_metrics/#sparsecategoricalcrossentropy-class
class SparseCategoricalCrossentropy : public Metric {
 public:
  explicit SparseCategoricalCrossentropy(const SparseCategoricalCrossentropyOptions& options = {});
};

/// The mean of `losses::kl_divergence`. https://keras.io/api/metrics/probabilistic_metrics/#kldivergence-class
class KLDivergence : public Metric {
 public:
  explicit KLDivergence(const MetricOptions& options = {});
};

/// The mean of `losses::poisson`. https://keras.io/api/metrics/probabilistic_metrics/#poisson-class
class Poisson : public Metric {
 public:
  explicit Poisson(const MetricOptions& options = {});
};

}  // namespace rhyton::metrics
