#include <rhyton/framework/distribute/replicated_executable.h>

#include <shared_mutex>
#include <unordered_set>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/device_assignment.h>
#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton::distribute {

ReplicatedExecutable::ReplicatedExecutable(std::shared_ptr<StrategyImpl> strategy, const std::vector<Part>& parts,
                                           const std::function<graph::Function(int index)>& function_of,
                                           const std::string& name,
                                           const std::vector<std::shared_ptr<graph::FramePool>>& frame_pools)
    : strategy_(std::move(strategy)) {
  std::unordered_set<const void*> known;
  for (int index = 0; index < strategy_->replicas_of_this_process(); ++index) {
    const Part& part = parts.at(static_cast<std::size_t>(index));
    graph::Graph graph;
    {
      const ReplicaScope replica(strategy_->replica_context_of(index, part.batch));
      graph = graph::trace(part.inputs, function_of(index));
    }
    graph.replace_variables([&](const Variable& variable) {
      if (known.insert(variable.identity()).second) variables_.push_back(variable);
      return strategy_->variables().of(variable, index);
    });
    LogicalDevice* const device = strategy_->devices()[static_cast<std::size_t>(index)];
    if (graph::names_other_devices(graph, *device)) {
      throw NotImplementedError("A model whose layers are called in device scopes cannot be trained under " +
                                strategy_->name() + ", which puts each replica on one device.");
    }
    const std::shared_ptr<graph::FramePool> pool =
        frame_pools.empty() ? nullptr : frame_pools.at(static_cast<std::size_t>(index));
    executables_.emplace_back(graph, graph::ExecutableOptions{.name = name, .device = device, .frame_pool = pool});
  }
}

template <class RunOne>
void ReplicatedExecutable::run_all(const RunOne& run_one) {
  const std::shared_lock step(step_mutex());
  const std::unique_lock turn = strategy_->turn();
  strategy_->variables().renew(variables_);
  strategy_->run_replicas(run_one);
  strategy_->variables().note_step(variables_);
}

void ReplicatedExecutable::run(std::span<const std::vector<const void*>> inputs) {
  run_all([&](int index) {
    const auto at = static_cast<std::size_t>(index);
    executables_[at].run(inputs[at]);
  });
}

void ReplicatedExecutable::run_on(std::span<const std::vector<Tensor>> inputs) {
  run_all([&](int index) {
    const auto at = static_cast<std::size_t>(index);
    executables_[at].run_on(inputs[at]);
  });
}

std::size_t ReplicatedExecutable::memory_bytes() const {
  std::size_t bytes = 0;
  for (const graph::Executable& executable : executables_) bytes += executable.memory_bytes();
  return bytes;
}

}  // namespace rhyton::distribute
