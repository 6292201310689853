#pragma once

#include <cstdint>
#include <shared_mutex>
#include <vector>

#include <rhyton/models/training/batches.h>
#include <rhyton/models/training/step_cache.h>
#include <rhyton/models/training/step_functions.h>
#include <rhyton/models/training/step_mutex.h>

namespace rhyton::training {

/// Runs the steps of one kind over batches: compiled once per batch size, or eagerly.
class StepRunner {
 public:
  /// `signature` without its arrays. `cache` is not used when `eagerly`.
  StepRunner(StepFunctions& functions, StepCache& cache, StepSignature signature, bool eagerly);

  void run(Batches& batches, std::int64_t batch);
  /// The outputs of the last run; the next one may write over them.
  const std::vector<Tensor>& outputs() const { return outputs_; }

 private:
  void run_compiled(Batches& batches, std::int64_t batch);

  StepFunctions& functions_;
  StepCache& cache_;
  StepSignature signature_;
  bool eagerly_;
  std::shared_mutex& step_mutex_ = step_mutex();
  // The executable of the last batch size, so that a step looks nothing up.
  graph::Executable* executable_ = nullptr;
  std::int64_t samples_ = -1;
  std::vector<Tensor> outputs_;
};

}  // namespace rhyton::training
