#pragma once

#include <memory>

#include <rhyton/models/metrics/metric.h>
#include <rhyton/models/training/compiled_metrics.h>

namespace rhyton::training {

/// The metrics of `compile` as one metric, "compile_metrics", as Keras has them in `Model.metrics`: for models with one
/// output. Its `result` throws TypeError: in Keras it is a dictionary.
metrics::Metric metrics_as_one(std::shared_ptr<CompiledMetrics> metrics);

}  // namespace rhyton::training
