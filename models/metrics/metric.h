#pragma once

#include <any>
#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton::metrics {

/// The options of all metrics. Fields in the order of the metrics' Keras signatures.
struct MetricOptions {
  ByName by_name = ByName();
  /// The default name of the class if empty.
  std::string name = {};
  /// The dtype of values and state; `floatx` if empty.
  std::string dtype = {};

  /// Lists these members of the options of any metric.
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("name", self.name);
    fields.policy("dtype", self.dtype);
    fields.ignored("fn");  // the function of a wrapper in Keras 2
  }
};

/// The implementation of a metric, shared by its handles (`Metric`, `Mean`, …). A custom metric derives from this
/// class, creates its variables in the constructor, or in `build` if their shapes depend on the predictions, overrides
/// `update_state` and `result`, and is wrapped by `make_metric<MyMetric>(…)`.
class MetricImpl {
 public:
  MetricImpl(std::string class_name, const MetricOptions& options);
  virtual ~MetricImpl();
  MetricImpl(const MetricImpl&) = delete;
  MetricImpl& operator=(const MetricImpl&) = delete;

  /// Creates the variables whose shapes depend on the predictions. Called once, before the first `update_state`.
  virtual void build(const TensorSpec& y_true, const TensorSpec& y_pred);
  /// Accumulates a batch, with ops and assignments of the variables. `sample_weight` may be empty.
  virtual void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) = 0;
  /// The value over all batches since the last reset, a number or a vector, computed with ops.
  virtual Tensor result() const = 0;
  /// Resets the state: sets the variables to 0.
  virtual void reset_state();
  /// The constructor arguments, in Keras's keys: name, dtype, then those of the class.
  virtual io::Json get_config() const;

  const std::string& class_name() const { return class_name_; }
  const std::string& name() const { return name_; }
  /// The name in the logs.
  void set_name(std::string name) { name_ = std::move(name); }
  DType dtype() const { return dtype_; }
  const std::vector<Variable>& variables() const { return variables_; }
  /// The string that it was made from ("accuracy"); empty for an object.
  const std::string& identifier() const { return identifier_; }
  void set_identifier(std::string identifier) { identifier_ = std::move(identifier); }
  /// Which results are better: larger ("up") or smaller ("down") ones; empty if unknown.
  const std::string& direction() const { return direction_; }

  /// Calls `build` unless it was called.
  void ensure_built(const TensorSpec& y_true, const TensorSpec& y_pred);

 protected:
  /// Adds a variable of zeros in the metric's dtype to its state.
  Variable add_variable(const Shape& shape, const std::string& name);
  Variable add_variable(const Shape& shape, const std::string& name, DType dtype);
  /// The default dtype of variables, in which some metrics of Keras keep their state whatever their dtype is.
  static DType floatx();
  /// `direction`: "up" or "down".
  void set_direction(std::string direction) { direction_ = std::move(direction); }
  /// Throws ValueError before `build` made the variables: for `result`, which may be called beside the first update.
  void require_built() const;

 private:
  std::string class_name_;
  std::string name_;
  DType dtype_;
  std::vector<Variable> variables_;
  std::string identifier_;
  std::string direction_;
  std::once_flag build_once_;
  std::atomic<bool> built_{false};
};

/// A metric, a number (or several) that is monitored during training: a handle; copies are the same metric with the
/// same state.
///
///     metrics::SparseCategoricalAccuracy accuracy;
///     for (const auto& [x, y] : batches) accuracy.update_state(y, model(x));
///     std::cout << accuracy.result().item();
///
/// https://keras.io/api/metrics/
class Metric {
 public:
  /// No metric.
  Metric() = default;
  /// The metric of that name: "mse", "mean_squared_error" or "MeanSquaredError". It has the default name of its class.
  /// "accuracy" is the class `Accuracy` here; `MetricArgument::resolve` selects the accuracy that fits a model's
  /// outputs. Throws ValueError "Could not interpret metric identifier: …" for an unknown name.
  explicit Metric(const std::string& identifier);
  explicit Metric(std::shared_ptr<MetricImpl> impl) : impl_(std::move(impl)) {}

  /// Accumulates a batch. `sample_weight`, [batch] or with more axes of the values, weights it. With several replicas,
  /// all of them hold the sums over all replicas afterwards.
  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight = {}) const;
  /// The value over all batches since the last reset: a number, or a vector for a metric of several classes or
  /// thresholds. Throws ValueError if the state does not exist before the first batch.
  Tensor result() const { return impl_->result(); }
  void reset_state() const { impl_->reset_state(); }
  const std::vector<Variable>& variables() const { return impl_->variables(); }

  bool is_empty() const { return impl_ == nullptr; }
  bool is_same(const Metric& other) const { return impl_ == other.impl_; }
  const std::string& name() const { return impl_->name(); }
  const std::string& class_name() const { return impl_->class_name(); }
  io::Json get_config() const { return impl_->get_config(); }

  const std::shared_ptr<MetricImpl>& impl() const { return impl_; }

 protected:
  std::shared_ptr<MetricImpl> impl_;
};

/// Wraps a custom metric: `Metric spread = make_metric<Spread>();`
template <class Impl, class... Arguments>
Metric make_metric(Arguments&&... arguments) {
  return Metric(std::make_shared<Impl>(std::forward<Arguments>(arguments)...));
}

/// A metric function: values of y_true and y_pred, one or more per sample, which are averaged.
using MetricFunction = std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;

/// A metric argument of `compile`: a string, a function of two tensors, or an object.
///
///     model.compile({.metrics = {"accuracy", metrics::TopKCategoricalAccuracy({.k = 3})}});
class MetricArgument {
 public:
  /// None.
  MetricArgument() = default;
  MetricArgument(std::string identifier) : identifier_(std::move(identifier)) {}  // NOLINT(google-explicit-constructor)
  MetricArgument(const char* identifier)
      : MetricArgument(std::string(identifier)) {}           // NOLINT(google-explicit-constructor)
  MetricArgument(const Metric& metric) : metric_(metric) {}  // NOLINT(google-explicit-constructor)
  /// A function whose values are averaged. `name` is its name in the logs; if it is empty, the functions of this
  /// namespace and of `losses` have their own name and others "lambda".
  template <class F>
  requires(!std::derived_from<F, Metric> && std::is_invocable_r_v<Tensor, F, const Tensor&, const Tensor&>)
      MetricArgument(F function, std::string name = {})  // NOLINT(google-explicit-constructor)
      : metric_(from_function(MetricFunction(std::move(function)), std::move(name))) {}
  /// A function of this namespace or of `losses` whose further arguments have their defaults:
  /// `metrics::binary_accuracy`. Throws TypeError for other functions of more than two arguments: a lambda passes them.
  template <class... More>
  requires(sizeof...(More) > 0)
      MetricArgument(Tensor (*function)(const Tensor&, const Tensor&, More...),  // NOLINT(google-explicit-constructor)
                     const std::string& name = {})
      : metric_(from_pointer(function, name)) {}

  bool is_empty() const { return metric_.is_empty() && identifier_.empty(); }
  /// The string; empty for functions and objects.
  const std::string& identifier() const { return identifier_; }
  /// The object; empty for a string.
  const Metric& metric() const { return metric_; }

  /// The metric for an output of these shapes. A string gives a new metric named by the string itself; "accuracy" and
  /// "acc" become BinaryAccuracy if y_pred's last axis is 1, SparseCategoricalAccuracy if y_true has fewer axes or a
  /// last axis of 1, else CategoricalAccuracy. Throws ValueError "Could not interpret metric identifier: …" for an
  /// unknown string.
  Metric resolve(const TensorSpec& y_true, const TensorSpec& y_pred) const;

 private:
  static Metric from_function(MetricFunction function, std::string name);
  static Metric from_pointer(const std::any& function, const std::string& name);

  std::string identifier_;
  Metric metric_;
};

/// A metric in the form of `config.json`: the string for one made from a string, {"module": "keras.metrics",
/// "class_name", "config", "registered_name"} for an object, null for none. (`keras.metrics.serialize`)
io::Json serialize(const Metric& metric);
io::Json serialize(const MetricArgument& metric);
/// Reads the result of `serialize`. Throws ValueError for an unknown string, when it is resolved; TypeError for an
/// unknown class. (`keras.metrics.deserialize`)
MetricArgument deserialize(const io::Json& serialized);
/// Registers a custom metric for `deserialize` and for the string of that name. Saved models name it
/// "package>class_name".
void register_metric(const std::string& class_name, std::function<Metric(const io::Json& config)> factory,
                     const std::string& package = "Custom");

}  // namespace rhyton::metrics
