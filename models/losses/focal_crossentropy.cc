#include <rhyton/models/losses/focal_crossentropy.h>

#include <cstdint>

#include <rhyton/framework/ops/crossentropy_arguments.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/losses/crossentropy_terms.h>
#include <rhyton/models/losses/function_loss.h>

namespace rhyton::losses {
namespace {

Tensor times(const Tensor& x, const PerClass& factors) {
  if (!factors.is_list()) return x * factors.values().front();
  const auto count = static_cast<std::int64_t>(factors.values().size());
  return x * cast(Tensor::from_data<double>({count}, factors.values()), x.dtype());
}

}  // namespace

PerClass PerClass::from_config(const io::Json& config) {
  if (config.is_number()) return config.as_double();
  // An array of NumPy is {"class_name": "__numpy__", "config": {"value": [...], "dtype": "float32"}}.
  if (config.is_object()) return from_config(config["config"]["value"]);
  std::vector<double> values;
  for (const io::Json& value : config) values.push_back(value.as_double());
  return values;
}

Tensor binary_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool apply_class_balancing, double alpha,
                                 double gamma, bool from_logits, double label_smoothing, int axis) {
  const Tensor labels = smoothed_binary(cast(y_true, y_pred.dtype()), label_smoothing);
  require_same_shape(labels, y_pred);
  const Tensor p = from_logits ? sigmoid(y_pred) : y_pred;
  const Tensor of_label = labels * p + (1.0 - labels) * (1.0 - p);
  Tensor values = power(1.0 - of_label, gamma) * binary_crossentropy_terms(labels, y_pred, from_logits);
  if (apply_class_balancing) values = (labels * alpha + (1.0 - labels) * (1.0 - alpha)) * values;
  return mean(values, {axis});
}

Tensor categorical_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred, const PerClass& alpha, double gamma,
                                      bool from_logits, double label_smoothing, int axis) {
  const Tensor labels = smoothed_categorical(cast(y_true, y_pred.dtype()), label_smoothing);
  const Tensor given = from_logits ? softmax(y_pred, axis) : y_pred;
  const Tensor p = clipped_probabilities(given / sum(given, {axis}, true));
  return sum(times(power(1.0 - p, gamma), alpha) * (-labels * log(p)), {axis});
}

BinaryFocalCrossentropy::BinaryFocalCrossentropy(const BinaryFocalCrossentropyOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "BinaryFocalCrossentropy", named(options, "binary_focal_crossentropy"),
          [options](const Tensor& y_true, const Tensor& y_pred) {
            return binary_focal_crossentropy(y_true, y_pred, options.apply_class_balancing, options.alpha,
                                             options.gamma, options.from_logits, options.label_smoothing, options.axis);
          },
          written(options))) {}

CategoricalFocalCrossentropy::CategoricalFocalCrossentropy(const CategoricalFocalCrossentropyOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "CategoricalFocalCrossentropy", named(options, "categorical_focal_crossentropy"),
          [options](const Tensor& y_true, const Tensor& y_pred) {
            return categorical_focal_crossentropy(y_true, y_pred, options.alpha, options.gamma, options.from_logits,
                                                  options.label_smoothing, options.axis);
          },
          written(options))) {}

}  // namespace rhyton::losses
