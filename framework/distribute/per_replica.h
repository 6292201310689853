#pragma once

#include <utility>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::distribute {

/// One value for each replica of this process (`tf.distribute.DistributedValues`).
class PerReplica {
 public:
  PerReplica() = default;
  /// The same value for all.
  PerReplica(const Tensor& value) : values_{value} {}  // NOLINT(google-explicit-constructor): as in TensorFlow
  /// One value for each, in the order of the replicas.
  explicit PerReplica(std::vector<Tensor> values) : values_(std::move(values)) {}

  /// The value of a replica of this process.
  const Tensor& at(std::size_t replica) const { return values_.size() == 1 ? values_.front() : values_.at(replica); }
  /// One value for each replica, or one for all.
  const std::vector<Tensor>& values() const { return values_; }

 private:
  std::vector<Tensor> values_;
};

}  // namespace rhyton::distribute
