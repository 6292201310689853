#pragma once

#include <optional>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>

// The counts of which confusion metrics are made (Keras's `metrics_utils`).

namespace rhyton::metrics {

/// The prediction below which those that are not among the `top_k` largest are put.
inline constexpr double below_all_thresholds = -1e10;

/// Which predictions count as positive, and for which labels.
struct ConfusionOptions {
  /// A prediction above the threshold is positive.
  std::vector<double> thresholds = {};
  /// Whether the thresholds are 0, 1/(n-1), …, 1, up to an epsilon at both ends.
  bool is_even = false;
  /// Only the largest predictions along the last axis are positive.
  std::optional<int> top_k = std::nullopt;
  /// Only this class of the last axis counts.
  std::optional<int> class_id = std::nullopt;
  /// Whether each label of the last axis has counts of its own: [thresholds, labels].
  bool multi_label = false;
  /// Weights [labels] of the last axis; empty for none, and with `multi_label`.
  Tensor label_weights = {};
};

/// The variables [thresholds], or [thresholds, labels], that hold the counts; null for those that are not needed.
struct ConfusionVariables {
  const Variable* true_positives = nullptr;
  const Variable* false_positives = nullptr;
  const Variable* true_negatives = nullptr;
  const Variable* false_negatives = nullptr;
};

/// Throws ValueError in Keras's words unless all thresholds are in [0, 1].
void require_in_unit_interval(const std::vector<double>& thresholds);

/// `count` thresholds evenly spaced from 0 to 1, or 0.5 alone. Throws ValueError in Keras's words if there is none.
std::vector<double> even_thresholds(int count);

/// Whether thresholds are evenly spaced from 0 to 1, at least three of them.
bool are_even(const std::vector<double>& thresholds);

/// Adds the counts of a batch, weighted by `sample_weight` (empty for none), to the variables. Labels other than 0 are
/// positive. Even thresholds are counted in one pass over the predictions: O(predictions + thresholds); others each in
/// a pass of its own. Throws ValueError in Keras's words for a `class_id` where y_pred has one axis only.
void add_confusion(const ConfusionVariables& variables, const ConfusionOptions& options, const Tensor& y_true,
                   const Tensor& y_pred, const Tensor& sample_weight);

}  // namespace rhyton::metrics
