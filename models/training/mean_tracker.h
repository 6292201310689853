#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/tensor/variable.h>
#include <rhyton/models/metrics/reduction.h>

namespace rhyton::training {

/// A weighted mean over batches. Its variables are on the device of the step.
class MeanTracker {
 public:
  explicit MeanTracker(const std::string& name);

  const std::string& name() const { return metric_.name(); }
  /// The same state as a metric.
  const metrics::Mean& metric() const { return metric_; }
  /// Adds the mean of `samples` samples, a scalar, with ops that can be traced. On a replica `mean` is its part of the
  /// mean of the whole batch.
  void update(const Tensor& mean, std::int64_t samples) const;
  /// The mean so far, 0 without samples. Reads the values.
  double result() const;
  void reset() const;
  std::vector<Variable> variables() const { return {total_, count_}; }

 private:
  metrics::Mean metric_;
  Variable total_;
  Variable count_;
};

}  // namespace rhyton::training
