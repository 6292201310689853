#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/device_session.h>
#include <rhyton/framework/distribute/remote_device.h>
#include <rhyton/framework/graph/executor.h>

namespace rhyton::distribute {

/// Runs a graph in another task, which has compiled it. The graph travels once; a run sends the places of inputs,
/// variables and outputs, which are in the memory of the task.
class RemoteExecutor final : public graph::Executor {
 public:
  /// Sends the graph. Throws NotImplementedError for an op that cannot be sent, and what the other task throws.
  RemoteExecutor(const graph::Graph& graph, const graph::ExecutableOptions& options, RemoteDevice& device);
  ~RemoteExecutor() override;

  const graph::Graph& graph() const override { return graph_; }
  /// Without phases: the other task has the plan.
  const graph::Plan& plan() const override { return plan_; }
  LogicalDevice& device() const override { return device_; }

  void run(std::span<const void* const> inputs) override;
  void run(std::span<const Tensor> inputs) override;
  const std::vector<Tensor>& outputs() override { return outputs_; }
  /// Of the outputs.
  std::size_t memory_bytes() const override;

 private:
  /// Calls `work`, whose exceptions get the name of the function.
  template <class Work>
  void in_function(const Work& work) const;
  void run_there(const std::vector<Tensor>& inputs);

  const graph::Graph graph_;
  const std::string name_;
  RemoteDevice& device_;
  graph::Plan plan_;
  std::vector<Variable> variables_;
  std::vector<bool> is_assigned_;
  std::vector<Tensor> constants_;
  /// The copies of inputs in host memory.
  std::vector<Tensor> copies_;
  std::vector<Tensor> outputs_;
  /// The graph's number, and the session that has it.
  std::uint64_t handle_ = 0;
  std::weak_ptr<DeviceSession> session_;
};

}  // namespace rhyton::distribute
