#include <rhyton/models/training/step_runner.h>

#include <mutex>
#include <utility>

namespace rhyton::training {

StepRunner::StepRunner(StepFunctions& functions, StepCache& cache, StepSignature signature, bool eagerly)
    : functions_(functions), cache_(cache), signature_(std::move(signature)), eagerly_(eagerly) {}

void StepRunner::run(BatchStream& batches) {
  const std::shared_lock no_snapshot(step_mutex_);
  if (eagerly_) {
    outputs_ = functions_.function(signature_)(batches.tensors());
  } else {
    run_compiled(batches);
  }
}

void StepRunner::run_compiled(BatchStream& batches) {
  if (executable_ == nullptr || signature_.arrays != batches.specs()) {
    signature_.arrays = batches.specs();
    executable_ = &cache_.get(signature_, functions_.function(signature_));
    outputs_.clear();
    for (std::size_t i = 0; i < executable_->graph().outputs.size(); ++i) outputs_.push_back(executable_->output(i));
  }
  executable_->run(batches.pointers());
}

}  // namespace rhyton::training
