#pragma once

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/metrics/metric.h>

namespace rhyton::models {

/// A second base class of layers that have metrics as attributes, as in Keras `self.confidence =
/// keras.metrics.Mean(name="confidence")` in a layer. The metrics of all layers of a model, at any depth, belong to the
/// model's: their results are in the logs of `fit` and `evaluate`, and they are reset at the beginning of each epoch.
/// The layer updates them in its `call`. Files do not have them.
///
///     class Gate final : public layers::LayerImpl, public models::MetricOwner {
///      public:
///       std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
///         const Tensor open = sigmoid(inputs[0]);
///         openness_.update_state(open);
///         return {open * inputs[0]};
///       }
///
///      private:
///       metrics::Mean openness_ = track_metric("openness", metrics::Mean({.name = "openness"}));
///     };
class MetricOwner {
 public:
  virtual ~MetricOwner() = default;
  MetricOwner(const MetricOwner&) = delete;
  MetricOwner& operator=(const MetricOwner&) = delete;

  /// Those of `track_metric`, in their order.
  std::vector<metrics::Metric> own_metrics() const;

 protected:
  MetricOwner() = default;
  /// Makes `metric` one of the layer's and returns it. A second call for an attribute replaces what the first one
  /// tracked. Throws ValueError for an empty metric.
  template <class Handle>
  Handle track_metric(const std::string& attribute, const Handle& metric) {
    add_metric(attribute, metric);
    return metric;
  }

 private:
  void add_metric(const std::string& attribute, const metrics::Metric& metric);

  std::vector<std::pair<std::string, metrics::Metric>> metrics_;
};

/// The metrics of a layer and of the layers within it, each once (`keras.layers.Layer.metrics`). Those that a model has
/// of its own, or by `compile`, are not among them: `ModelImpl::metrics`.
std::vector<metrics::Metric> layer_metrics(const layers::Layer& layer);

/// Their variables (`keras.layers.Layer.metrics_variables`); some exist from the first update on.
std::vector<Variable> layer_metrics_variables(const layers::Layer& layer);

}  // namespace rhyton::models
