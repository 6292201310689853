#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <rhyton/framework/distribute/replicated_executable.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/models/training/step_cache.h>
#include <rhyton/models/training/step_functions.h>
#include <rhyton/models/training/step_mutex.h>
#include <rhyton/models/training/step_runner.h>

namespace rhyton::training {

/// Runs steps on all replicas of a strategy, each with its part of the batch: compiled once for each shape of the
/// batches, or eagerly, one replica at a time. Steps of several threads take turns.
class ReplicatedStepRunner final : public StepRunner {
 public:
  using Cache = StepCache<distribute::ReplicatedExecutable>;

  /// `signature` without its arrays. `cache` is not used when `eagerly`.
  ReplicatedStepRunner(std::shared_ptr<distribute::StrategyImpl> strategy, StepFunctions& functions, Cache& cache,
                       StepSignature signature, bool eagerly, const StepSharing& sharing);

  void run(BatchStream& batches) override;
  const std::vector<Tensor>& outputs() const override { return outputs_; }

 private:
  /// A replica's part of a batch: what it counts for, and where its samples, of which there is at least one, lie in
  /// this process's arrays.
  struct Part {
    ReplicaBatch batch;
    std::int64_t first = 0;
    std::int64_t samples = 0;
  };

  void divide(std::int64_t samples);
  void run_alone(BatchStream& batches);
  void run_eagerly(BatchStream& batches);
  void run_compiled(BatchStream& batches);
  // Where the samples are on the devices: each replica picks its part. False where they are not.
  bool run_picking(BatchStream& batches);
  void compile(const std::vector<std::vector<graph::InputSpec>>& inputs, bool picking);
  void collect(const std::vector<std::vector<Tensor>>& outputs);

  std::shared_ptr<distribute::StrategyImpl> strategy_;
  StepFunctions& functions_;
  Cache& cache_;
  StepSignature signature_;
  bool eagerly_;
  StepSharing sharing_;
  StepMutex& step_mutex_ = step_mutex();
  std::vector<Part> parts_;
  // The executable of the last batch's shapes.
  std::shared_ptr<distribute::ReplicatedExecutable> executable_;
  // Per replica: the addresses, or the tensors, that it is given.
  std::vector<std::vector<const void*>> pointers_;
  std::vector<std::vector<Tensor>> arguments_;
  std::vector<Tensor> outputs_;
};

}  // namespace rhyton::training
