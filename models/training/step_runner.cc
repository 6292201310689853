#include <rhyton/models/training/step_runner.h>

#include <mutex>
#include <utility>

namespace rhyton::training {

StepRunner::StepRunner(StepFunctions& functions, StepCache& cache, StepSignature signature, bool eagerly)
    : functions_(functions), cache_(cache), signature_(std::move(signature)), eagerly_(eagerly) {}

void StepRunner::run(Batches& batches, std::int64_t batch) {
  const std::shared_lock no_snapshot(step_mutex_);
  if (eagerly_) {
    outputs_ = functions_.function(signature_)(batches.tensors(batch));
  } else {
    run_compiled(batches, batch);
  }
}

void StepRunner::run_compiled(Batches& batches, std::int64_t batch) {
  const std::int64_t samples = batches.size_of(batch);
  if (samples != samples_) {
    signature_.arrays = batches.specs(samples);
    executable_ = &cache_.get(signature_, functions_.function(signature_));
    samples_ = samples;
    outputs_.clear();
    for (std::size_t i = 0; i < executable_->graph().outputs.size(); ++i) outputs_.push_back(executable_->output(i));
  }
  executable_->run(batches.pointers(batch));
}

}  // namespace rhyton::training
