#include <rhyton/models/losses/crossentropy.h>

#include <rhyton/framework/ops/crossentropy.h>
#include <rhyton/framework/ops/crossentropy_arguments.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/losses/crossentropy_terms.h>
#include <rhyton/models/losses/function_loss.h>

namespace rhyton::losses {
namespace {

class SparseCategoricalCrossentropyImpl final : public LossImpl {
 public:
  explicit SparseCategoricalCrossentropyImpl(const SparseCategoricalCrossentropyOptions& options)
      : LossImpl("SparseCategoricalCrossentropy", named(options, "sparse_categorical_crossentropy")),
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

}  // namespace

Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits, double label_smoothing,
                           int axis) {
  const Tensor labels = smoothed_binary(cast(y_true, y_pred.dtype()), label_smoothing);
  return mean(binary_crossentropy_terms(labels, y_pred, from_logits), {axis});
}

Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits, double label_smoothing,
                                int axis) {
  Tensor labels = cast(y_true, y_pred.dtype());
  if (labels.rank() > 0) labels = smoothed_categorical(labels, label_smoothing);
  return ops::categorical_crossentropy(labels, y_pred, from_logits, axis);
}

Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits,
                                       std::optional<int> ignore_class, int axis) {
  if (!ignore_class) return ops::sparse_categorical_crossentropy(y_true, y_pred, from_logits, axis);
  const Tensor labels = class_numbers(y_true, y_pred, axis);
  const Tensor valid = not_equal(labels, *ignore_class);
  const Tensor values = ops::sparse_categorical_crossentropy(
      where(valid, labels, 0), where(expand_dims(valid, -1), y_pred, 0.0), from_logits, axis);
  return where(valid, values, 0.0).with_mask(valid);
}

BinaryCrossentropy::BinaryCrossentropy(const BinaryCrossentropyOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "BinaryCrossentropy", named(options, "binary_crossentropy"),
          [options](const Tensor& y_true, const Tensor& y_pred) {
            return losses::binary_crossentropy(y_true, y_pred, options.from_logits, options.label_smoothing,
                                               options.axis);
          },
          written(options))) {}

CategoricalCrossentropy::CategoricalCrossentropy(const CategoricalCrossentropyOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "CategoricalCrossentropy", named(options, "categorical_crossentropy"),
          [options](const Tensor& y_true, const Tensor& y_pred) {
            return losses::categorical_crossentropy(y_true, y_pred, options.from_logits, options.label_smoothing,
                                                    options.axis);
          },
          written(options))) {}

SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(const SparseCategoricalCrossentropyOptions& options)
    : Loss(std::make_shared<SparseCategoricalCrossentropyImpl>(options)) {}

}  // namespace rhyton::losses
