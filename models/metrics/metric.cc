#include <rhyton/models/metrics/metric.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/metrics/named_metrics.h>
#include <rhyton/models/metrics/reduction.h>
#include <rhyton/optimizers/class_names.h>

namespace rhyton::metrics {
namespace {

std::string lower_case(const std::string& text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower;
}

Metric accuracy_for(const TensorSpec& y_true, const TensorSpec& y_pred) {
  const std::int64_t predicted = y_pred.shape.rank() > 0 ? y_pred.shape.at(-1) : 0;
  const std::int64_t labelled = y_true.shape.rank() > 0 ? y_true.shape.at(-1) : 0;
  if (predicted == 1) return find_named_metric("BinaryAccuracy");
  const bool sparse = y_true.shape.rank() < y_pred.shape.rank() || (labelled == 1 && predicted > 1);
  return find_named_metric(sparse ? "SparseCategoricalAccuracy" : "CategoricalAccuracy");
}

}  // namespace

bool is_accuracy_by_shape(const std::string& identifier) {
  const std::string lower = lower_case(identifier);
  return lower == "accuracy" || lower == "acc";
}

MetricImpl::MetricImpl(std::string class_name, const MetricOptions& options)
    : class_name_(std::move(class_name)),
      name_(options.name.empty() ? automatic_name(class_name_) : options.name),
      dtype_(dtype_from_name(options.dtype.empty() ? context().floatx() : options.dtype)) {}

MetricImpl::~MetricImpl() = default;

void MetricImpl::build(const TensorSpec& /*y_true*/, const TensorSpec& /*y_pred*/) {}

void MetricImpl::ensure_built(const TensorSpec& y_true, const TensorSpec& y_pred) {
  std::call_once(build_once_, [&] {
    build(y_true, y_pred);
    built_ = true;
  });
}

void MetricImpl::require_built() const {
  if (!built_) throw ValueError("Cannot get result() since the metric has not yet been built.");
}

DType MetricImpl::floatx() { return dtype_from_name(context().floatx()); }

void MetricImpl::reset_state() {
  for (const Variable& variable : variables_) variable.assign(Tensor::zeros(variable.shape(), variable.dtype()));
}

io::Json MetricImpl::get_config() const {
  return written(MetricOptions{.name = name_, .dtype = std::string(name_of(dtype_))});
}

Variable MetricImpl::add_variable(const Shape& shape, const std::string& name) {
  return add_variable(shape, name, dtype_);
}

Variable MetricImpl::add_variable(const Shape& shape, const std::string& name, DType dtype) {
  const InitScope scope;
  variables_.emplace_back(Tensor::zeros(shape, dtype),
                          VariableOptions{.trainable = false, .name = name, .path = name_ + "/" + name});
  return variables_.back();
}

Metric::Metric(const std::string& identifier) : impl_(find_named_metric(identifier).impl()) {
  if (impl_ == nullptr) throw ValueError("Could not interpret metric identifier: " + identifier);
  impl_->set_identifier(identifier);
}

void Metric::update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) const {
  impl_->ensure_built(y_true.spec(), y_pred.spec());
  add_over_replicas(impl_->variables(), [&] { impl_->update_state(y_true, y_pred, sample_weight); });
}

Metric MetricArgument::from_pointer(const std::any& function, const std::string& name) {
  const std::optional<NamedFunction> found = find_function(function);
  if (!found) {
    throw TypeError(
        "A metric function takes `y_true` and `y_pred`. Received a function with further arguments that is not one of "
        "Keras's with defaults for them: pass a lambda that calls it.");
  }
  return make_metric<FunctionMetric>("MeanMetricWrapper", MetricOptions{.name = name.empty() ? found->name : name},
                                     found->function, io::Json::object(), found->direction);
}

Metric MetricArgument::from_function(MetricFunction function, std::string name) {
  const auto* const pointer = function.target<Tensor (*)(const Tensor&, const Tensor&)>();
  if (pointer != nullptr && find_function(std::any(*pointer))) return from_pointer(*pointer, name);
  if (name.empty()) name = "lambda";
  return MeanMetricWrapper(std::move(function), {.name = std::move(name)});
}

Metric MetricArgument::resolve(const TensorSpec& y_true, const TensorSpec& y_pred) const {
  if (is_empty()) throw ValueError("Expected metric, received `None`");
  if (identifier_.empty()) return metric_;
  Metric metric = is_accuracy_by_shape(identifier_) ? accuracy_for(y_true, y_pred) : Metric(identifier_);
  metric.impl()->set_name(identifier_);
  metric.impl()->set_identifier(identifier_);
  return metric;
}

}  // namespace rhyton::metrics
