#pragma once

#include <optional>
#include <string>

#include <rhyton/models/metrics/metric.h>

namespace rhyton::metrics {

/// The options of FBetaScore, in Keras's order.
struct FBetaScoreOptions {
  ByName by_name = ByName();
  /// "micro" counts all classes together, "macro" is the mean of the classes' scores, "weighted" their mean weighted by
  /// the number of their labels. Without it the result is a vector of the classes' scores.
  std::optional<std::string> average = std::nullopt;
  double beta = 1.0;
  /// In (0, 1]: predictions above it are positive. Without it the largest predictions of each sample are, if not 0.
  std::optional<double> threshold = std::nullopt;
  std::string name = "fbeta_score";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("average", self.average);
    fields("beta", self.beta);
    fields("threshold", self.threshold);
  }
};

/// (1 + beta²) · precision · recall / (beta² · precision + recall) of labels (0 or 1) and predictions [batch, classes],
/// with `sample_weight` [batch]. The state, made at the first batch, is `true_positives`, `false_positives`,
/// `false_negatives` and `intermediate_weights`, [classes], or numbers for "micro".
///
/// Throws ValueError for an unknown average, a `beta` or `threshold` out of range, and for labels or predictions of
/// another rank than 2. https://keras.io/api/metrics/classification_metrics/#fbetascore-class
class FBetaScore : public Metric {
 public:
  explicit FBetaScore(const FBetaScoreOptions& options = {});
};

/// The options of F1Score, in Keras's order: those of FBetaScore without beta.
struct F1ScoreOptions {
  ByName by_name = ByName();
  std::optional<std::string> average = std::nullopt;
  std::optional<double> threshold = std::nullopt;
  std::string name = "f1_score";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("average", self.average);
    fields("threshold", self.threshold);
  }
};

/// FBetaScore with a beta of 1: the harmonic mean of precision and recall.
/// https://keras.io/api/metrics/classification_metrics/#f1score-class
class F1Score : public Metric {
 public:
  explicit F1Score(const F1ScoreOptions& options = {});
};

}  // namespace rhyton::metrics
