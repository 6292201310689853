#include <rhyton/models/training/replicated_step_runner.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include <rhyton/framework/distribute/eager_replicas.h>
#include <rhyton/framework/distribute/replica_batches.h>

namespace rhyton::training {

ReplicatedStepRunner::ReplicatedStepRunner(std::shared_ptr<distribute::StrategyImpl> strategy, StepFunctions& functions,
                                           ModelStepCache& cache, StepKind kind, bool eagerly,
                                           const StepSharing& sharing)
    : strategy_(std::move(strategy)),
      functions_(functions),
      cache_(cache),
      signature_{.kind = kind},
      eagerly_(eagerly),
      sharing_(sharing),
      pointers_(static_cast<std::size_t>(strategy_->replicas_of_this_process())),
      arguments_(static_cast<std::size_t>(strategy_->replicas_of_this_process())) {}

void ReplicatedStepRunner::divide(std::int64_t samples) {
  const int here = strategy_->replicas_of_this_process();
  // Every process computes all predictions.
  const distribute::ProcessGroup* const processes =
      signature_.kind == StepKind::predict ? nullptr : strategy_->processes();
  const bool has_all_data = strategy_->auto_shard_policy() != distribute::AutoShardPolicy::OFF;
  const bool is_shared = processes != nullptr && has_all_data;
  const int first_replica = is_shared ? strategy_->first_replica_id() : 0;
  const int replicas = is_shared ? strategy_->num_replicas_in_sync() : here;
  parts_.clear();
  for (int i = 0; i < here; ++i) {
    Part part;
    part.batch = distribute::replica_batch(samples, first_replica + i, replicas);
    part.first = part.batch.is_empty() ? 0 : part.batch.first_sample;
    part.samples = std::max<std::int64_t>(1, part.batch.samples);
    if (processes != nullptr && !has_all_data) {
      // The whole batch consists of the batches of the processes.
      part.batch.first_sample += samples * processes->rank();
      part.batch.global_samples = samples * processes->size();
    }
    parts_.push_back(part);
  }
}

void ReplicatedStepRunner::run(BatchStream& batches) {
  // Replicas that run eagerly need the mutex exclusively.
  if (sharing_.writes_variables && !eagerly_) {
    const std::shared_lock no_snapshot(step_mutex_);
    return run_alone(batches);
  }
  const std::unique_lock alone(step_mutex_);
  const OwnValuesInVariables exchange(sharing_.own);
  run_alone(batches);
}

void ReplicatedStepRunner::run_alone(BatchStream& batches) {
  if (eagerly_) return run_eagerly(batches);
  if (!run_picking(batches)) run_compiled(batches);
}

void ReplicatedStepRunner::run_eagerly(BatchStream& batches) {
  const BatchParts<Tensor> arrays = batches.tensors();
  divide(arrays.x.front().shape()[0]);
  std::vector<ReplicaBatch> parts;
  for (const Part& part : parts_) parts.push_back(part.batch);
  collect(distribute::run_eagerly(*strategy_, parts, [&](int index) {
    const Part& part = parts_[static_cast<std::size_t>(index)];
    LogForm form;
    const auto slice = [&](const Tensor& array) { return array.slice(part.first, part.first + part.samples); };
    return functions_.run(signature_.kind, map_parts(arrays, slice), form);
  }));
}

void ReplicatedStepRunner::compile(const std::vector<std::vector<graph::FunctionInput>>& inputs, bool picking) {
  std::vector<distribute::ReplicatedExecutable::Part> parts;
  for (std::size_t i = 0; i < parts_.size(); ++i) parts.push_back({parts_[i].batch, inputs[i]});
  const auto function_of = [&](int index) {
    const auto form = std::make_shared<LogForm>();
    if (!picking) return functions_.function(signature_, form);
    StepSignature own = signature_;
    own.samples = parts_[static_cast<std::size_t>(index)].samples;
    return functions_.picking_function(own, form);
  };
  const std::shared_ptr<StepProgram> program = cache_.get(signature_, [&] {
    return StepProgram(distribute::ReplicatedExecutable(strategy_, parts, function_of, name_of(signature_.kind),
                                                        cache_.frame_pools(parts.size())));
  });
  executable_ = {program, &program->replicated()};
}

void ReplicatedStepRunner::run_compiled(BatchStream& batches) {
  if (executable_ == nullptr || signature_.arrays != batches.specs()) {
    signature_.arrays = batches.specs();
    const std::vector<TensorSpec> specs = flat(signature_.arrays);
    const std::int64_t samples = specs.front().shape[0];
    divide(samples);
    sample_bytes_.clear();
    for (const TensorSpec& spec : specs) sample_bytes_.push_back(spec.bytes() / static_cast<std::size_t>(samples));
    std::vector<std::vector<graph::FunctionInput>> inputs(parts_.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (const TensorSpec& spec : specs) {
        inputs[i].push_back({{spec.shape.with(0, parts_[i].samples), spec.dtype}, 0});
      }
    }
    compile(inputs, false);
  }
  const std::vector<const void*>& whole = batches.pointers();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    pointers_[i].resize(whole.size());
    for (std::size_t a = 0; a < whole.size(); ++a) {
      pointers_[i][a] =
          static_cast<const std::byte*>(whole[a]) + static_cast<std::size_t>(parts_[i].first) * sample_bytes_[a];
    }
  }
  executable_->run(pointers_);
  if (executable_->replica(0).graph().outputs.empty()) return;
  std::vector<std::vector<Tensor>> outputs(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const graph::Executable& replica = executable_->replica(static_cast<int>(i));
    for (std::size_t o = 0; o < replica.graph().outputs.size(); ++o) outputs[i].push_back(replica.output(o));
  }
  collect(outputs);
}

bool ReplicatedStepRunner::run_picking(BatchStream& batches) {
  const std::vector<LogicalDevice*>& devices = strategy_->devices();
  const bool is_on_host =
      std::any_of(devices.begin(), devices.end(), [](const LogicalDevice* device) { return device->is_host(); });
  // The outputs of predictions would have to be copied from the devices in any case.
  if (is_on_host || signature_.kind == StepKind::predict) return false;
  std::vector<const ResidentArrays*> resident;
  for (LogicalDevice* device : devices) {
    resident.push_back(batches.resident(*device));
    if (resident.back() == nullptr) return false;
  }
  const std::int64_t samples = batches.specs().x.front().shape[0];
  if (executable_ == nullptr || signature_.samples != samples) {
    signature_.samples = samples;
    signature_.arrays = specs_of(resident.front()->arrays);
    divide(samples);
    std::vector<std::vector<graph::FunctionInput>> inputs(devices.size());
    for (std::size_t i = 0; i < devices.size(); ++i) {
      arguments_[i] = resident[i]->arguments();
      for (const Tensor& argument : arguments_[i]) inputs[i].push_back({argument.spec(), -1});
    }
    compile(inputs, true);
  }
  BatchPosition& position = functions_.position(signature_.kind);
  position.move_to(batches.first_sample());
  executable_->run_on(arguments_);
  position.note_step(batches.first_sample() + samples);
  return true;
}

void ReplicatedStepRunner::collect(const std::vector<std::vector<Tensor>>& outputs) {
  outputs_.clear();
  std::int64_t samples = 0;
  for (const Part& part : parts_) samples += part.batch.samples;
  for (std::size_t o = 0; o < outputs.front().size(); ++o) {
    const Tensor& first = outputs.front()[o];
    Tensor whole = Tensor::uninitialized(first.shape().with(0, samples), first.dtype());
    auto* next = static_cast<std::byte*>(whole.mutable_raw_data());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::size_t bytes = outputs[i][o].spec().bytes() / static_cast<std::size_t>(parts_[i].samples) *
                                static_cast<std::size_t>(parts_[i].batch.samples);
      std::memcpy(next, outputs[i][o].raw_data(), bytes);
      next += bytes;
    }
    outputs_.push_back(std::move(whole));
  }
}

}  // namespace rhyton::training
