#include <rhyton/models/training/device_step_runner.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include <rhyton/framework/device/device_runtime.h>

namespace rhyton::training {

DeviceStepRunner::DeviceStepRunner(StepFunctions& functions, ModelStepCache& cache, StepKind kind, bool eagerly,
                                   const StepSharing& sharing)
    : functions_(functions), cache_(cache), signature_{.kind = kind}, eagerly_(eagerly), sharing_(sharing) {
  signature_.device = &device_;
}

void DeviceStepRunner::run(BatchStream& batches) {
  // Before the step mutex is taken: making a step may wait for the steps that run.
  if (!eagerly_) prepare(batches);
  if (sharing_.writes_variables) {
    const std::shared_lock no_snapshot(step_mutex_);
    return run_prepared(batches);
  }
  if (eagerly_) return run_eagerly_beside_others(batches);
  if (!lease_ || !keeps_to_itself_) return run_where_steps_take_turns(batches);
  if (!lease_->take_variables_again(sharing_.own)) {
    const std::unique_lock between_steps(step_mutex_);
    lease_->take_variables(sharing_.own);
  }
  lease_->run_taken(batches.pointers());
}

void DeviceStepRunner::run_prepared(BatchStream& batches) {
  if (eagerly_) {
    outputs_ = functions_.run(signature_.kind, batches.tensors(), log_form_);
    return;
  }
  if (lease_) return lease_->run(batches.pointers());
  if (picks_) {
    BatchPosition& position = functions_.position(signature_.kind);
    position.move_to(batches.first_sample());
    executable_->run_on(arguments_);
    position.note_step(batches.first_sample() + signature_.samples);
  } else {
    executable_->run(batches.pointers());
  }
  outputs_.clear();
  for (std::size_t i = 0; i < executable_->graph().outputs.size(); ++i) outputs_.push_back(executable_->output(i));
}

void DeviceStepRunner::run_eagerly_beside_others(BatchStream& batches) {
  VariableValues weights;
  const std::vector<Variable> variables = functions_.model_weights();
  {
    const std::unique_lock between_steps(step_mutex_);
    weights.take(variables, false);
  }
  std::optional<VariableValuesScope> own;
  if (sharing_.own != nullptr) own.emplace(*sharing_.own);
  const VariableValuesScope scope(weights);
  outputs_ = functions_.run(signature_.kind, batches.tensors(), log_form_);
}

void DeviceStepRunner::run_where_steps_take_turns(BatchStream& batches) {
  const std::unique_lock alone(step_mutex_);
  const OwnValuesInVariables exchange(sharing_.own);
  run_prepared(batches);
  if (lease_ || eagerly_) return;
  // The next run of the step, in any thread, overwrites its outputs.
  for (Tensor& output : outputs_) {
    output = output.device().is_host() ? output.clone() : output.to(device_runtime().host());
  }
}

void DeviceStepRunner::use(const std::vector<graph::FunctionInput>& inputs) {
  lease_.reset();
  executable_ = nullptr;
  const std::shared_ptr<StepProgram> program = cache_.get(signature_, [&] {
    const auto form = std::make_shared<LogForm>();
    const graph::Function function =
        picks_ ? functions_.picking_function(signature_, form) : functions_.function(signature_, form);
    graph::Executable executable(
        graph::trace(inputs, function),
        {.name = name_of(signature_.kind), .device = &device_, .frame_pool = cache_.frame_pools(1).front()});
    return StepProgram(std::move(executable), *form);
  });
  log_form_ = program->log_form();
  executable_ = {program, &program->on_device()};
  if (executable_->is_on_host()) lease_ = executable_->lease();
  const std::vector<Variable>& assigned = executable_->assigned_variables();
  keeps_to_itself_ = std::all_of(assigned.begin(), assigned.end(), [&](const Variable& variable) {
    return sharing_.own != nullptr && sharing_.own->find(variable) != nullptr;
  });
}

void DeviceStepRunner::prepare(BatchStream& batches) {
  if (!device_.is_host()) {
    if (const ResidentArrays* resident = batches.resident(device_)) return prepare_picking(batches, *resident);
  }
  if (executable_ != nullptr && signature_.arrays == batches.specs()) return;
  picks_ = false;
  signature_.samples = 0;
  signature_.arrays = batches.specs();
  std::vector<graph::FunctionInput> inputs;
  for (const TensorSpec& spec : flat(signature_.arrays)) inputs.push_back({spec, 0});
  use(inputs);
}

void DeviceStepRunner::prepare_picking(BatchStream& batches, const ResidentArrays& resident) {
  const std::int64_t samples = batches.specs().x.front().shape[0];
  if (executable_ != nullptr && signature_.samples == samples) return;
  picks_ = true;
  signature_.samples = samples;
  signature_.arrays = specs_of(resident.arrays);
  arguments_ = resident.arguments();
  std::vector<graph::FunctionInput> inputs;
  for (const Tensor& argument : arguments_) inputs.push_back({argument.spec(), -1});
  use(inputs);
}

}  // namespace rhyton::training
