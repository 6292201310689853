#pragma once

#include <string>

#include <rhyton/models/metrics/metric.h>

namespace rhyton::metrics {

/// A new metric of that name ("mse", "mean_squared_error", "MeanSquaredError"); an empty handle for an unknown name.
Metric find_named_metric(const std::string& identifier);

/// "accuracy" and "acc" in any case: which metric is meant, the shapes tell.
bool is_accuracy_by_shape(const std::string& identifier);

/// Whether there is a metric of that class, or of that string: of Rhyton ("accuracy" too), registered, or of the scope
/// of custom objects. `registered_name` ("package>name") may be empty.
bool is_known_metric(const std::string& registered_name, const std::string& name);

}  // namespace rhyton::metrics
