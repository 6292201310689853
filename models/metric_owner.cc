#include <rhyton/models/metric_owner.h>

#include <algorithm>
#include <set>

#include <rhyton/framework/error.h>

namespace rhyton::models {
namespace {

class Collection {
 public:
  void visit(const layers::Layer& layer) {
    if (!visited_.insert(layer.impl().get()).second) return;
    if (const auto* const owner = dynamic_cast<const MetricOwner*>(layer.impl().get())) {
      for (const metrics::Metric& metric : owner->own_metrics()) {
        if (visited_.insert(metric.impl().get()).second) metrics_.push_back(metric);
      }
    }
    for (const layers::Layer& part : layer.impl()->sublayers()) visit(part);
  }

  std::vector<metrics::Metric> take() { return std::move(metrics_); }

 private:
  std::set<const void*> visited_;
  std::vector<metrics::Metric> metrics_;
};

}  // namespace

std::vector<metrics::Metric> MetricOwner::own_metrics() const {
  std::vector<metrics::Metric> all;
  for (const auto& [attribute, metric] : metrics_) all.push_back(metric);
  return all;
}

void MetricOwner::add_metric(const std::string& attribute, const metrics::Metric& metric) {
  if (metric.is_empty()) throw ValueError("Attribute \"" + attribute + "\" of a layer holds an empty metric.");
  const auto same =
      std::find_if(metrics_.begin(), metrics_.end(), [&](const auto& known) { return known.first == attribute; });
  if (same != metrics_.end()) {
    same->second = metric;
  } else {
    metrics_.emplace_back(attribute, metric);
  }
}

std::vector<metrics::Metric> layer_metrics(const layers::Layer& layer) {
  Collection collection;
  collection.visit(layer);
  return collection.take();
}

std::vector<Variable> layer_metrics_variables(const layers::Layer& layer) {
  std::vector<Variable> variables;
  for (const metrics::Metric& metric : layer_metrics(layer)) {
    variables.insert(variables.end(), metric.variables().begin(), metric.variables().end());
  }
  return variables;
}

}  // namespace rhyton::models
