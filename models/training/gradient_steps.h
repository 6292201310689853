#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/models/training/batch_stream.h>
#include <rhyton/models/training/model_steps.h>

namespace rhyton::training {

/// Computes the gradients of batches, or of parts of batches, for the servers that apply them: compiled once for each
/// shape and part, or eagerly, on the device where ops run when it is made.
class GradientSteps {
 public:
  /// `steps` must outlive it.
  explicit GradientSteps(ModelSteps& steps);

  /// The gradients of the loss of the current batch of the stream, one for each trained variable, empty where there is
  /// none; the next call may overwrite them. With a part that is known: those of its share of the batch's loss.
  std::vector<Tensor> run(BatchStream& batches, const ReplicaBatch& part);

 private:
  struct Compiled {
    BatchParts<TensorSpec> arrays;
    ReplicaBatch part;
    std::unique_ptr<graph::Executable> executable;
    /// Whether each variable has a gradient.
    std::vector<bool> has_gradient;
  };
  static constexpr std::size_t capacity = 24;

  Compiled& compiled(const BatchParts<TensorSpec>& arrays, const ReplicaBatch& part);
  std::vector<Tensor> run_eagerly(BatchStream& batches, const ReplicaBatch& part);

  ModelSteps& steps_;
  LogicalDevice& device_ = current_device();
  /// The one that was used last is first.
  std::list<Compiled> compiled_;
};

}  // namespace rhyton::training
