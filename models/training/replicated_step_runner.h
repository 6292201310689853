#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <rhyton/framework/distribute/replicated_executable.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/models/training/step_functions.h>
#include <rhyton/models/training/step_mutex.h>
#include <rhyton/models/training/step_program.h>
#include <rhyton/models/training/step_runner.h>

namespace rhyton::training {

/// Runs steps, compiled once for each shape of the batches or eagerly, on all replicas of a strategy, each with its
/// part of the batch. Eagerly one replica runs at a time. Steps of several threads run one at a time.
class ReplicatedStepRunner final : public StepRunner {
 public:
  /// `cache` is not used when `eagerly`.
  ReplicatedStepRunner(std::shared_ptr<distribute::StrategyImpl> strategy, StepFunctions& functions,
                       ModelStepCache& cache, StepKind kind, bool eagerly, const StepSharing& sharing);

  void run(BatchStream& batches) override;
  const std::vector<Tensor>& outputs() const override { return outputs_; }

 private:
  /// A replica's part of a batch, and its samples, at least one, in the arrays of this process.
  struct Part {
    ReplicaBatch batch;
    std::int64_t first = 0;
    std::int64_t samples = 0;
  };

  void divide(std::int64_t samples);
  void run_alone(BatchStream& batches);
  void run_eagerly(BatchStream& batches);
  void run_compiled(BatchStream& batches);
  // Runs steps that pick their parts if the samples are on the devices; else returns false.
  bool run_picking(BatchStream& batches);
  void compile(const std::vector<std::vector<graph::FunctionInput>>& inputs, bool picking);
  void collect(const std::vector<std::vector<Tensor>>& outputs);

  std::shared_ptr<distribute::StrategyImpl> strategy_;
  StepFunctions& functions_;
  ModelStepCache& cache_;
  // That of the last batch.
  StepSignature signature_;
  bool eagerly_;
  StepSharing sharing_;
  StepMutex& step_mutex_ = step_mutex();
  std::vector<Part> parts_;
  // The executable for the shapes of the last batch.
  std::shared_ptr<distribute::ReplicatedExecutable> executable_;
  // The bytes of a sample of each argument of `run_compiled`.
  std::vector<std::size_t> sample_bytes_;
  // For each replica: the addresses or the tensors of its arguments.
  std::vector<std::vector<const void*>> pointers_;
  std::vector<std::vector<Tensor>> arguments_;
  std::vector<Tensor> outputs_;
};

}  // namespace rhyton::training
