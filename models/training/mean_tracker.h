#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/tensor/variable.h>

namespace rhyton::training {

/// A weighted mean over batches, kept where the training step runs.
class MeanTracker {
 public:
  explicit MeanTracker(const std::string& name);

  const std::string& name() const { return name_; }
  /// Adds a scalar that is the mean of `samples` samples; with ops, so that it may be traced. On a replica with a part
  /// of a batch: the part of the batch's mean that the replica's samples make.
  void update(const Tensor& mean, std::int64_t samples) const;
  /// The mean so far, 0 where there is none. Reads the values.
  double result() const;
  void reset() const;
  std::vector<Variable> variables() const { return {total_, count_}; }

 private:
  std::string name_;
  Variable total_;
  Variable count_;
};

}  // namespace rhyton::training
