#include <rhyton/models/metrics/confusion_counts.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/cumulative.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/models/losses/reduction.h>

namespace rhyton::metrics {
namespace {

/// Labels (0 or 1), predictions and weights (empty for none) of one shape each, or weights that broadcast to it.
struct Predictions {
  Tensor y_true;
  Tensor y_pred;
  Tensor weights;
};

/// `x` with what is not among the k largest of the last axis below all thresholds.
Tensor only_top_k(const Tensor& x, int k) {
  const Tensor indices = top_k(x, k).indices;
  const Tensor is_kept = sum(one_hot(indices, x.shape().at(-1), x.dtype()), {-2});
  return x * is_kept + below_all_thresholds * (1.0 - is_kept);
}

Tensor class_of(const Tensor& x, int class_id) {
  const std::int64_t first = class_id < 0 ? x.shape().at(-1) + class_id : class_id;
  return slice_axis(x, -1, first, first + 1);
}

Tensor weights_of_samples(const Tensor& sample_weight, const Tensor& y_true, DType dtype) {
  const Tensor weights = expand_dims(cast(sample_weight, dtype), -1);
  return weights.rank() == y_true.rank() + 1 ? squeeze(weights, {-1}) : weights;
}

Predictions prepared(const ConfusionOptions& options, DType dtype, const Tensor& y_true, const Tensor& y_pred,
                     const Tensor& sample_weight) {
  Predictions all;
  std::tie(all.y_pred, all.y_true) = losses::squeeze_or_expand_to_same_rank(cast(y_pred, dtype), cast(y_true, dtype));
  if (!sample_weight.is_empty()) all.weights = weights_of_samples(sample_weight, all.y_true, dtype);
  if (options.top_k) all.y_pred = only_top_k(all.y_pred, *options.top_k);
  if (options.class_id) {
    if (all.y_pred.rank() == 1) {
      throw ValueError(
          "When class_id is provided, y_pred must be a 2D array with shape (num_samples, num_classes), found shape: " +
          all.y_pred.shape().to_string());
    }
    all.y_true = class_of(all.y_true, *options.class_id);
    all.y_pred = class_of(all.y_pred, *options.class_id);
  }
  if (!options.label_weights.is_empty()) {
    const Tensor weights = cast(options.label_weights, dtype);
    all.weights = all.weights.is_empty() ? weights : all.weights * weights;
  }
  all.y_true = cast(cast(all.y_true, DType::bool_), dtype);
  return all;
}

/// Labels times their weights, in the shape of the predictions.
Tensor weighted(const Tensor& labels, const Predictions& all) {
  if (all.weights.is_empty()) return labels;
  const Tensor product = labels * all.weights;
  // Weights do not add labels; the broadcast says so.
  return product.shape() == labels.shape() ? product : broadcast_to(all.weights, labels.shape());
}

void add_counts(const Variable* variable, const Tensor& counts) {
  if (variable != nullptr) variable->assign_add(cast(counts, variable->dtype()));
}

/// Sums over the elements of each threshold and all above it along `axis`.
Tensor sums_from_above(const Tensor& buckets, int axis) { return flip(cumsum(flip(buckets, axis), axis), axis); }

/// The counts of even thresholds, from the sums of the labels between two neighbours.
class BucketCounts {
 public:
  BucketCounts(const ConfusionOptions& options, const Predictions& all)
      : thresholds_(static_cast<std::int64_t>(options.thresholds.size())), multi_label_(options.multi_label) {
    const Tensor clipped = clip_by_value(all.y_pred, 0.0, 1.0);
    // A prediction equal to a threshold is not above it.
    Tensor buckets = ceil(clipped * static_cast<double>(thresholds_ - 1)) - 1.0;
    const bool has_epsilon = options.thresholds.front() < 0.0 || options.thresholds.back() > 1.0;
    if (has_epsilon) buckets = relu(buckets);
    buckets_ = cast(buckets, DType::int32);
    if (multi_label_) {
      labels_ = all.y_pred.shape().at(-1);
      buckets_ = buckets_ + range(labels_) * static_cast<std::int32_t>(thresholds_);
    }
    buckets_ = reshape(buckets_, {-1});
  }

  /// How many of the weighted labels are predicted as positive, and how many as negative.
  void add(const Tensor& labels, const Variable* positives, const Variable* negatives) const {
    const Tensor flat = reshape(labels, {-1});
    Tensor above;
    if (multi_label_) {
      const Tensor sums = reshape(segment_sum(flat, buckets_, labels_ * thresholds_), {labels_, thresholds_});
      above = transpose(sums_from_above(sums, 1));
    } else {
      above = sums_from_above(segment_sum(flat, buckets_, thresholds_), 0);
    }
    add_counts(positives, above);
    if (negatives == nullptr) return;
    add_counts(negatives, (multi_label_ ? sum(labels, {0}) : sum(flat)) - above);
  }

 private:
  std::int64_t thresholds_;
  bool multi_label_;
  std::int64_t labels_ = 1;
  Tensor buckets_;
};

/// The counts of any thresholds, each of which is compared with all predictions.
class ThresholdCounts {
 public:
  ThresholdCounts(const ConfusionOptions& options, const Predictions& all) : multi_label_(options.multi_label) {
    const auto count = static_cast<std::int64_t>(options.thresholds.size());
    const Tensor predictions = extended(all.y_pred);
    const Tensor thresholds = Tensor::from_data<double>({count}, options.thresholds);
    is_positive_ = predictions >
                   reshape(cast(thresholds, all.y_pred.dtype()), multi_label_ ? Shape{count, 1, 1} : Shape{count, 1});
  }

  void add(const Tensor& labels, const Variable* positives, const Variable* negatives) const {
    const Tensor each = extended(labels);
    if (positives != nullptr) add_counts(positives, sum(where(is_positive_, each, 0.0), {1}));
    if (negatives != nullptr) add_counts(negatives, sum(where(is_positive_, 0.0, each), {1}));
  }

 private:
  Tensor extended(const Tensor& x) const { return multi_label_ ? expand_dims(x, 0) : reshape(x, {1, -1}); }

  bool multi_label_;
  Tensor is_positive_;
};

}  // namespace

void require_in_unit_interval(const std::vector<double>& thresholds) {
  std::string invalid;
  for (const double threshold : thresholds) {
    if (threshold >= 0 && threshold <= 1) continue;
    invalid += (invalid.empty() ? "" : ", ") + io::Json(threshold).dump();
  }
  if (!invalid.empty()) throw ValueError("Threshold values must be in [0, 1]. Received: [" + invalid + "]");
}

std::vector<double> even_thresholds(int count) {
  if (count <= 0) {
    throw ValueError("Argument `num_thresholds` must be an integer > 0. Received: num_thresholds=" +
                     std::to_string(count));
  }
  if (count == 1) return {0.5};
  std::vector<double> thresholds;
  for (int i = 0; i < count; ++i) thresholds.push_back(static_cast<double>(i) / (count - 1));
  return thresholds;
}

bool are_even(const std::vector<double>& thresholds) {
  if (thresholds.size() < 3) return false;
  const auto intervals = static_cast<double>(thresholds.size() - 1);
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const double even = static_cast<double>(i) / intervals;
    if (std::abs(thresholds[i] - even) > context().epsilon() + 1e-5 * even) return false;
  }
  return true;
}

void add_confusion(const ConfusionVariables& variables, const ConfusionOptions& options, const Tensor& y_true,
                   const Tensor& y_pred, const Tensor& sample_weight) {
  const auto dtype = [&] {
    for (const Variable* variable :
         {variables.true_positives, variables.false_positives, variables.true_negatives, variables.false_negatives}) {
      if (variable != nullptr) return variable->dtype();
    }
    return DType::float32;
  }();
  const Predictions all = prepared(options, dtype, y_true, y_pred, sample_weight);
  const auto count = [&](const auto& counts) {
    if (variables.true_positives != nullptr || variables.false_negatives != nullptr) {
      counts.add(weighted(all.y_true, all), variables.true_positives, variables.false_negatives);
    }
    if (variables.false_positives != nullptr || variables.true_negatives != nullptr) {
      counts.add(weighted(1.0 - all.y_true, all), variables.false_positives, variables.true_negatives);
    }
  };
  if (options.is_even) {
    count(BucketCounts(options, all));
  } else {
    count(ThresholdCounts(options, all));
  }
}

}  // namespace rhyton::metrics
