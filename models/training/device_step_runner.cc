#include <rhyton/models/training/device_step_runner.h>

#include <mutex>
#include <span>
#include <utility>

namespace rhyton::training {

DeviceStepRunner::DeviceStepRunner(StepFunctions& functions, StepCache<graph::Executable>& cache,
                                   StepSignature signature, bool eagerly)
    : functions_(functions), cache_(cache), signature_(std::move(signature)), eagerly_(eagerly) {}

void DeviceStepRunner::run(BatchStream& batches) {
  const std::shared_lock no_snapshot(step_mutex_);
  if (eagerly_) {
    outputs_ = functions_.function(signature_)(batches.tensors());
  } else {
    run_compiled(batches);
  }
}

void DeviceStepRunner::use(const std::vector<graph::InputSpec>& inputs, const graph::Function& function) {
  signature_.device = &device_;
  executable_ = &cache_.get(signature_, [&] {
    return graph::Executable(graph::trace(inputs, function), {.name = name_of(signature_.kind), .device = &device_});
  });
  outputs_.clear();
  for (std::size_t i = 0; i < executable_->graph().outputs.size(); ++i) outputs_.push_back(executable_->output(i));
}

void DeviceStepRunner::run_compiled(BatchStream& batches) {
  if (!device_.is_host()) {
    if (const ResidentArrays* resident = batches.resident(device_)) return run_picking(batches, *resident);
  }
  if (executable_ == nullptr || signature_.arrays != batches.specs()) {
    signature_.arrays = batches.specs();
    std::vector<graph::InputSpec> inputs;
    for (const TensorSpec& spec : signature_.arrays) inputs.push_back({spec, 0});
    use(inputs, functions_.function(signature_));
  }
  executable_->run(batches.pointers());
}

void DeviceStepRunner::run_picking(BatchStream& batches, const ResidentArrays& resident) {
  const std::int64_t samples = batches.specs().front().shape[0];
  if (executable_ == nullptr || signature_.samples != samples) {
    signature_.samples = samples;
    signature_.arrays.clear();
    arguments_ = resident.arrays;
    arguments_.push_back(resident.permutation);
    std::vector<graph::InputSpec> inputs;
    for (const Tensor& argument : arguments_) {
      signature_.arrays.push_back(argument.spec());
      inputs.push_back({argument.spec(), -1});
    }
    use(inputs, functions_.picking_function(signature_));
  }
  BatchPosition& position = functions_.position(signature_.kind);
  position.move_to(batches.first_sample());
  executable_->run_on(arguments_);
  position.note_step(batches.first_sample() + samples);
}

}  // namespace rhyton::training
