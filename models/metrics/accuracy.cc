#include <rhyton/models/metrics/accuracy.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/losses/reduction.h>
#include <rhyton/models/metrics/reduction.h>

namespace rhyton::metrics {
namespace {

Tensor as_float(const Tensor& matches) { return cast(matches, dtype_from_name(context().floatx())); }

/// Applies `rows`, a function of labels [n] and scores [n, classes], to labels and scores with more axes.
template <class Rows>
Tensor by_rows(const Tensor& labels, const Tensor& scores, const Rows& rows) {
  const Tensor flat_scores = scores.rank() > 2 ? reshape(scores, {-1, scores.shape().at(-1)}) : scores;
  const Tensor flat_labels = labels.rank() > 1 ? reshape(labels, {-1}) : labels;
  const Tensor matches = as_float(rows(flat_labels, flat_scores));
  return labels.rank() > 1 ? reshape(matches, labels.shape()) : matches;
}

}  // namespace

Tensor accuracy(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = losses::squeeze_or_expand_to_same_rank(cast(y_true, y_pred.dtype()), y_pred);
  return as_float(equal(y, p));
}

Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred, double threshold) {
  const auto [y, p] = losses::squeeze_or_expand_to_same_rank(y_true, y_pred);
  const Tensor scores = is_floating(p.dtype()) ? p : as_float(p);
  return as_float(equal(y, cast(scores > threshold, y.dtype())));
}

Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return as_float(equal(argmax(y_true, -1), argmax(y_pred, -1)));
}

Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  const bool column = y_true.rank() == y_pred.rank() && y_true.rank() > 0 && y_true.shape().at(-1) == 1;
  const Tensor labels = column ? squeeze(y_true, {-1}) : y_true;
  const Tensor predicted = argmax(y_pred, -1);
  // A label with a fraction is not a class and must not be rounded to one: indices become floating numbers.
  const Tensor values = as_float(equal(labels, predicted));
  return values.rank() > 1 && values.shape().at(-1) == 1 ? squeeze(values, {-1}) : values;
}

Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int k) {
  return by_rows(argmax(y_true, -1), y_pred,
                 [k](const Tensor& labels, const Tensor& scores) { return in_top_k(labels, scores, k); });
}

Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int k, bool from_sorted_ids) {
  if (from_sorted_ids) {
    return by_rows(cast(y_true, y_pred.dtype()), y_pred, [k](const Tensor& labels, const Tensor& ids) {
      return any(equal(expand_dims(labels, 1), slice_axis(ids, 1, 0, k)), {1});
    });
  }
  return by_rows(cast(y_true, DType::int64), y_pred,
                 [k](const Tensor& labels, const Tensor& scores) { return in_top_k(labels, scores, k); });
}

Accuracy::Accuracy(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("Accuracy", named(options, "accuracy"), accuracy)) {}

BinaryAccuracy::BinaryAccuracy(const BinaryAccuracyOptions& options)
    : Metric(make_metric<FunctionMetric>(
          "BinaryAccuracy", named({.name = options.name, .dtype = options.dtype}, "binary_accuracy"),
          [threshold = options.threshold](const Tensor& y_true, const Tensor& y_pred) {
            return binary_accuracy(y_true, y_pred, threshold);
          },
          written(options))) {}

CategoricalAccuracy::CategoricalAccuracy(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("CategoricalAccuracy", named(options, "categorical_accuracy"),
                                         categorical_accuracy)) {}

SparseCategoricalAccuracy::SparseCategoricalAccuracy(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("SparseCategoricalAccuracy", named(options, "sparse_categorical_accuracy"),
                                         sparse_categorical_accuracy)) {}

TopKCategoricalAccuracy::TopKCategoricalAccuracy(const TopKCategoricalAccuracyOptions& options)
    : Metric(make_metric<FunctionMetric>(
          "TopKCategoricalAccuracy",
          named({.name = options.name, .dtype = options.dtype}, "top_k_categorical_accuracy"),
          [k = options.k](const Tensor& y_true, const Tensor& y_pred) {
            return top_k_categorical_accuracy(y_true, y_pred, k);
          },
          written(options))) {}

SparseTopKCategoricalAccuracy::SparseTopKCategoricalAccuracy(const SparseTopKCategoricalAccuracyOptions& options)
    : Metric(make_metric<FunctionMetric>(
          "SparseTopKCategoricalAccuracy",
          named({.name = options.name, .dtype = options.dtype}, "sparse_top_k_categorical_accuracy"),
          [k = options.k, sorted = options.from_sorted_ids](const Tensor& y_true, const Tensor& y_pred) {
            return sparse_top_k_categorical_accuracy(y_true, y_pred, k, sorted);
          },
          written(options))) {}

}  // namespace rhyton::metrics
