#pragma once

#include <string>

#include <rhyton/models/metrics/metric.h>

namespace rhyton::metrics {

/// A new metric of that name ("mse", "mean_squared_error", "MeanSquaredError"); an empty handle for an unknown name.
Metric find_named_metric(const std::string& identifier);

}  // namespace rhyton::metrics
