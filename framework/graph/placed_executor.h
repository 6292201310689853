#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/device_assignment.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/executor.h>
#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/partition.h>

namespace rhyton::graph {

/// Runs a graph whose nodes are on several devices: part by part, each an Executable on its device. A value that
/// another device needs is copied there once per run; between logical CPUs, which share their memory, nothing is
/// copied.
///
/// Variables stay on their devices; those that other devices read are copied before the first part runs. The last part
/// writes variables of its device itself; all others are written after it. So variables keep their old values when an
/// exception is thrown before the last part, and those of other devices also when the last part throws.
class PlacedExecutor final : public Executor {
 public:
  /// Runs `graph` on `device`, except for the nodes that `devices` assigns to others.
  PlacedExecutor(Graph graph, const DeviceAssignment& devices, const ExecutableOptions& options, LogicalDevice& device);
  ~PlacedExecutor() override;

  const Graph& graph() const override { return graph_; }
  /// The phases of all parts, one after the other; addresses are relative to each part.
  const Plan& plan() const override { return plan_; }
  /// The device of the nodes that follow no others.
  LogicalDevice& device() const override { return device_; }

  void run(std::span<const void* const> inputs) override;
  void run(std::span<const Tensor> inputs) override;
  /// Each on the device that computed it.
  const std::vector<Tensor>& outputs() override { return outputs_; }
  /// The memory of the parts, and of the copies between devices.
  std::size_t memory_bytes() const override;

  /// One line for each part.
  std::string to_string() const;

 private:
  struct Part;
  struct Assignments;
  class Arguments;
  /// The destination of a copy.
  using Place = std::pair<ValueId, LogicalDevice*>;

  void make_parts(const Partition& partition, const ExecutableOptions& options);
  void plan_copies(const Partition& partition);
  void plan_assignments(const Partition& partition, const DeviceAssignment& devices, const ExecutableOptions& options);
  Plan plan_of_parts() const;
  Tensor result(ValueId value, LogicalDevice& device);
  const Tensor& make_copy(ValueId value, LogicalDevice& device);

  void run_all(const Arguments& arguments);
  void move_variables();
  void copy_at_start(const Arguments& arguments);
  void run_part(Part& part, const Arguments& arguments);
  Tensor at_hand(ValueId value, LogicalDevice& device, const Arguments& arguments) const;
  void assign();

  const Graph graph_;
  Plan plan_;
  LogicalDevice& device_;
  std::string name_;
  std::vector<Part> parts_;
  // The device of each variable.
  std::vector<std::pair<Variable, LogicalDevice*>> homes_;
  // The outputs of parts, on the devices that computed them.
  std::map<ValueId, Tensor> computed_;
  // Copies of values on other devices; those of inputs and variables are renewed at the start of each run.
  std::map<Place, Tensor> copies_;
  std::vector<Place> copied_at_start_;
  // Inputs and variables that are also outputs, which must not be overwritten before the end.
  std::map<Place, Tensor> kept_;
  std::vector<Assignments> assignments_;
  std::vector<Tensor> outputs_;
};

}  // namespace rhyton::graph
