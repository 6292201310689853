#include <rhyton/models/losses/crossentropy.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/losses/crossentropy_terms.h>
#include <rhyton/models/losses/function_loss.h>

namespace rhyton::losses {
namespace {

/// Class indices as integers, without a trailing axis of length 1.
Tensor class_numbers(const Tensor& y_true, const Tensor& y_pred) {
  const bool column = y_true.rank() == y_pred.rank() && y_true.rank() > 0 && y_true.shape().at(-1) == 1;
  const Tensor labels = column ? squeeze(y_true, {-1}) : y_true;
  const bool is_index = labels.dtype() == DType::int32 || labels.dtype() == DType::int64;
  return is_index ? labels : cast(labels, DType::int64);
}

void check_sparse(const Tensor& labels, const Tensor& y_pred, int axis) {
  if (axis != -1 && axis != y_pred.rank() - 1) {
    throw ValueError("Only axis=-1 is currently supported. Received: axis=" + std::to_string(axis));
  }
  if (y_pred.rank() < 1) {
    throw ValueError("Argument `output` must be at least rank 1. Received: output.shape=" + y_pred.shape().to_string());
  }
  if (labels.rank() != y_pred.rank() - 1) {
    throw ValueError("Argument `output` must have rank (ndim) `target.ndim - 1`. Received: " +
                     received_shapes(labels, y_pred));
  }
  if (!(labels.shape() == y_pred.shape().slice(0, y_pred.rank() - 1))) {
    throw ValueError("Arguments `target` and `output` must have the same shape up until the last dimension: " +
                     received_shapes(labels, y_pred));
  }
}

class SparseCategoricalCrossentropyImpl final : public LossImpl {
 public:
  explicit SparseCategoricalCrossentropyImpl(const SparseCategoricalCrossentropyOptions& options)
      : LossImpl("SparseCategoricalCrossentropy",
                 {.reduction = options.reduction,
                  .name = options.name.empty() ? "sparse_categorical_crossentropy" : options.name,
                  .dtype = options.dtype}),
        options_(options) {}

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    return losses::sparse_categorical_crossentropy(y_true, y_pred, options_.from_logits, options_.ignore_class,
                                                   options_.axis);
  }

  bool casts_labels() const override { return false; }

  io::Json get_config() const override { return written(LossImpl::get_config(), options_); }

 private:
  SparseCategoricalCrossentropyOptions options_;
};

template <class Options>
LossOptions base_options(const Options& options, const char* default_name) {
  return named({.reduction = options.reduction, .name = options.name, .dtype = options.dtype}, default_name);
}

}  // namespace

Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits, double label_smoothing,
                           int axis) {
  Tensor labels = cast(y_true, y_pred.dtype());
  if (label_smoothing != 0.0) labels = labels * (1.0 - label_smoothing) + 0.5 * label_smoothing;
  require_same_shape(labels, y_pred);
  return mean(binary_crossentropy_terms(labels, y_pred, from_logits), {axis});
}

Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits, double label_smoothing,
                                int axis) {
  Tensor labels = cast(y_true, y_pred.dtype());
  if (labels.rank() < 1) {
    throw ValueError("Arguments `target` and `output` must be at least rank 1. Received: " +
                     received_shapes(labels, y_pred));
  }
  if (label_smoothing != 0.0) {
    // Keras counts the classes on the last axis even if `axis` is another one.
    const auto classes = static_cast<double>(labels.shape().at(-1));
    labels = labels * (1.0 - label_smoothing) + label_smoothing / classes;
  }
  require_same_shape(labels, y_pred);
  if (from_logits) {
    if (normalize_axis(axis, y_pred.rank()) == y_pred.rank() - 1) {
      return softmax_cross_entropy_with_logits(labels, y_pred);
    }
    return -sum(labels * log_softmax(y_pred, axis), {axis});
  }
  const Tensor p = clipped_probabilities(y_pred / sum(y_pred, {axis}, true));
  return -sum(labels * log(p), {axis});
}

Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits,
                                       std::optional<int> ignore_class, int axis) {
  Tensor labels = class_numbers(y_true, y_pred);
  Tensor output = y_pred;
  check_sparse(labels, output, axis);
  Tensor valid;
  if (ignore_class) {
    valid = not_equal(labels, *ignore_class);
    labels = where(valid, labels, 0);
    output = where(expand_dims(valid, -1), output, 0.0);
  }
  if (!from_logits) output = log(clipped_probabilities(output));
  const Tensor values = sparse_softmax_cross_entropy_with_logits(labels, output);
  return valid.is_empty() ? values : where(valid, values, 0.0).with_mask(valid);
}

BinaryCrossentropy::BinaryCrossentropy(const BinaryCrossentropyOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "BinaryCrossentropy", base_options(options, "binary_crossentropy"),
          [options](const Tensor& y_true, const Tensor& y_pred) {
            return losses::binary_crossentropy(y_true, y_pred, options.from_logits, options.label_smoothing,
                                               options.axis);
          },
          written(options))) {}

CategoricalCrossentropy::CategoricalCrossentropy(const CategoricalCrossentropyOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "CategoricalCrossentropy", base_options(options, "categorical_crossentropy"),
          [options](const Tensor& y_true, const Tensor& y_pred) {
            return losses::categorical_crossentropy(y_true, y_pred, options.from_logits, options.label_smoothing,
                                                    options.axis);
          },
          written(options))) {}

SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(const SparseCategoricalCrossentropyOptions& options)
    : Loss(std::make_shared<SparseCategoricalCrossentropyImpl>(options)) {}

}  // namespace rhyton::losses
