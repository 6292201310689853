#pragma once

#include <unordered_map>
#include <vector>

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// The devices of everything in a graph.
struct DeviceAssignment {
  /// Per node: the device that runs it.
  std::vector<LogicalDevice*> nodes;
  /// Per variable that the graph reads or updates, by its identity: its device.
  std::unordered_map<const void*, LogicalDevice*> variables;

  LogicalDevice& of(NodeId node) const { return *nodes[static_cast<std::size_t>(node)]; }
  LogicalDevice& of(const Variable& variable) const { return *variables.at(variable.identity()); }
  /// The device of all nodes and variables, null where there are several.
  LogicalDevice* only_device() const;
};

/// True when the program named another device than `device` for a node of the graph.
bool names_other_devices(const Graph& graph, const LogicalDevice& device);

/// True when a variable of the graph is in another task than `device`: there it stays.
bool has_distant_variables(const Graph& graph, const LogicalDevice& device);

/// Chooses a device for every node and variable of a graph that is to run on `device`, except for the nodes that name
/// another one:
///
/// 1. A node that names a device runs there.
/// 2. A variable is on the device of the first such node that reads it; variables without one are on the device of the
///    nodes that read them.
/// 3. Any other node (a loss, a metric, an optimizer's update) runs on the device of a variable of rule 2 that it
///    reads, otherwise on the device that computes the largest of its inputs.
/// 4. A node that depends on neither, such as the preparation of an input, runs on the device of all its readers; if
///    they differ, on `device`; and also there if its result is smaller than its inputs, so that less has to be copied.
///
/// Tasks of a cluster differ: the variables of other tasks stay there, and those of this process stay in it, whichever
/// nodes read them. A node whose result is the new value of such a variable of another task, and which names no device,
/// runs there, as TensorFlow's assignments do. Rules 3 and 4 take no other nodes to other tasks: they run on `device`.
DeviceAssignment assign_devices(const Graph& graph, LogicalDevice& device);

}  // namespace rhyton::graph
