#pragma once

#include <any>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/serialization/option_table.h>
#include <rhyton/models/metrics/metric.h>

namespace rhyton::metrics {

/// A new metric of that name ("mse", "mean_squared_error", "MeanSquaredError"); an empty handle for an unknown name.
Metric find_named_metric(const std::string& identifier);

/// Whether it is "accuracy" or "acc" in any case: the shapes select the metric.
bool is_accuracy_by_shape(const std::string& identifier);

/// Whether there is a metric of that class name or string: built-in ("accuracy" too), registered, or in the custom
/// object scope. `registered_name` ("package>name") may be empty.
bool is_known_metric(const std::string& registered_name, const std::string& name);

/// A function of this library whose mean is a metric.
struct NamedFunction {
  /// Its name in Keras.
  std::string name;
  /// With the defaults of its further arguments.
  MetricFunction function;
  /// See `MetricImpl::direction`.
  std::string direction;
};

/// The function of metrics or losses that a pointer, of the type of that function, points to; none for other functions.
std::optional<NamedFunction> find_function(const std::any& pointer);

/// The options of the built-in metrics, for the documentation.
std::vector<OptionTable> option_tables();

}  // namespace rhyton::metrics
