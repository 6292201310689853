#include <rhyton/models/metrics/crossentropy.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/losses/probabilistic.h>
#include <rhyton/models/metrics/reduction.h>

namespace rhyton::metrics {
namespace {

/// Metrics get predictions in any dtype; logarithms of integers and halves would be undefined or inaccurate.
Tensor as_predictions(const Tensor& y_pred) {
  const bool fits = y_pred.dtype() == DType::float32 || y_pred.dtype() == DType::float64;
  return fits ? y_pred : cast(y_pred, dtype_from_name(context().floatx()));
}

template <class Options>
MetricOptions base_options(const Options& options, const char* default_name) {
  return named({.name = options.name, .dtype = options.dtype}, default_name);
}

}  // namespace

BinaryCrossentropy::BinaryCrossentropy(const BinaryCrossentropyOptions& options)
    : Metric(make_metric<FunctionMetric>(
          "BinaryCrossentropy", base_options(options, "binary_crossentropy"),
          [options](const Tensor& y_true, const Tensor& y_pred) {
            return losses::binary_crossentropy(y_true, as_predictions(y_pred), options.from_logits,
                                               options.label_smoothing);
          },
          written(options))) {}

CategoricalCrossentropy::CategoricalCrossentropy(const CategoricalCrossentropyOptions& options)
    : Metric(make_metric<FunctionMetric>(
          "CategoricalCrossentropy", base_options(options, "categorical_crossentropy"),
          [options](const Tensor& y_true, const Tensor& y_pred) {
            return losses::categorical_crossentropy(y_true, as_predictions(y_pred), options.from_logits,
                                                    options.label_smoothing, options.axis);
          },
          written(options))) {}

SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(const SparseCategoricalCrossentropyOptions& options)
    : Metric(make_metric<FunctionMetric>(
          "SparseCategoricalCrossentropy", base_options(options, "sparse_categorical_crossentropy"),
          [options](const Tensor& y_true, const Tensor& y_pred) {
            return losses::sparse_categorical_crossentropy(y_true, as_predictions(y_pred), options.from_logits,
                                                           options.ignore_class, options.axis);
          },
          written(options))) {}

KLDivergence::KLDivergence(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("KLDivergence", named(options, "kl_divergence"), losses::kl_divergence)) {}

Poisson::Poisson(const MetricOptions& options)
    : Metric(make_metric<FunctionMetric>("Poisson", named(options, "poisson"), losses::poisson)) {}

}  // namespace rhyton::metrics
