#include <rhyton/models/training/gradient_steps.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <shared_mutex>

#include <rhyton/framework/graph/tracing.h>
#include <rhyton/models/training/step_mutex.h>

namespace rhyton::training {
namespace {

bool is_same(const ReplicaBatch& a, const ReplicaBatch& b) {
  return a.global_samples == b.global_samples && a.first_sample == b.first_sample && a.samples == b.samples;
}

/// As that part of a batch, without others to communicate with.
void enter(std::optional<ReplicaScope>& scope, const ReplicaBatch& part) {
  if (part.is_known()) scope.emplace(ReplicaContext{.communicator = nullptr, .batch = part});
}

}  // namespace

GradientSteps::GradientSteps(ModelSteps& steps) : steps_(steps) {}

std::vector<Tensor> GradientSteps::run(BatchStream& batches, const ReplicaBatch& part) {
  if (steps_.runs_eagerly) return run_eagerly(batches, part);
  BatchParts<TensorSpec> arrays = batches.specs();
  std::vector<const void*> pointers = batches.pointers();
  if (part.is_known()) {
    std::size_t next = 0;
    arrays = map_parts(arrays, [&](const TensorSpec& spec) {
      const std::size_t sample_bytes = spec.bytes() / static_cast<std::size_t>(spec.shape[0]);
      const void*& pointer = pointers[next++];
      pointer = static_cast<const std::byte*>(pointer) + static_cast<std::size_t>(part.first_sample) * sample_bytes;
      return TensorSpec{spec.shape.with(0, part.samples), spec.dtype};
    });
  }
  Compiled& step = compiled(arrays, part);
  const std::shared_lock no_snapshot(step_mutex());
  step.executable->run(pointers);
  std::vector<Tensor> gradients;
  std::size_t output = 0;
  for (const bool has_gradient : step.has_gradient) {
    gradients.push_back(has_gradient ? step.executable->output(output++) : Tensor());
  }
  return gradients;
}

std::vector<Tensor> GradientSteps::run_eagerly(BatchStream& batches, const ReplicaBatch& part) {
  BatchParts<Tensor> arrays = batches.tensors();
  if (part.is_known()) {
    arrays = map_parts(
        arrays, [&](const Tensor& array) { return array.slice(part.first_sample, part.first_sample + part.samples); });
  }
  std::optional<ReplicaScope> scope;
  enter(scope, part);
  const std::shared_lock no_snapshot(step_mutex());
  return steps_.functions.gradients(arrays);
}

GradientSteps::Compiled& GradientSteps::compiled(const BatchParts<TensorSpec>& arrays, const ReplicaBatch& part) {
  const auto found = std::find_if(compiled_.begin(), compiled_.end(), [&](const Compiled& step) {
    return step.arrays == arrays && is_same(step.part, part);
  });
  if (found != compiled_.end()) {
    compiled_.splice(compiled_.begin(), compiled_, found);
    return compiled_.front();
  }
  std::vector<graph::FunctionInput> inputs;
  for (const TensorSpec& spec : flat(arrays)) inputs.push_back({spec, 0});
  std::vector<bool> has_gradient;
  std::optional<ReplicaScope> scope;
  enter(scope, part);
  const graph::Graph graph = graph::trace(inputs, [&](const std::vector<Tensor>& values) {
    const std::vector<Variable>& variables = steps_.functions.trainable_variables();
    std::vector<Tensor> outputs;
    has_gradient.clear();
    const std::vector<Tensor> gradients = steps_.functions.gradients(parts_like(arrays, values));
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      has_gradient.push_back(!gradients[i].is_empty());
      if (has_gradient.back()) outputs.push_back(gradients[i].cast(variables[i].dtype()));
    }
    return outputs;
  });
  if (compiled_.size() >= capacity) compiled_.pop_back();
  compiled_.push_front({.arrays = arrays,
                        .part = part,
                        .executable = std::make_unique<graph::Executable>(
                            graph, graph::ExecutableOptions{.name = name_of(StepKind::train),
                                                            .device = &device_,
                                                            .frame_pool = steps_.cache->frame_pools(1).front()}),
                        .has_gradient = has_gradient});
  return compiled_.front();
}

}  // namespace rhyton::training
