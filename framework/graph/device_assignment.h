#pragma once

#include <unordered_map>
#include <vector>

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Where everything in a graph of several devices is.
struct DeviceAssignment {
  /// Per node: where it runs.
  std::vector<LogicalDevice*> nodes;
  /// Per variable that the graph reads or updates, by its identity: where it lives.
  std::unordered_map<const void*, LogicalDevice*> variables;

  LogicalDevice& of(NodeId node) const { return *nodes[static_cast<std::size_t>(node)]; }
  LogicalDevice& of(const Variable& variable) const { return *variables.at(variable.identity()); }
  /// The device of all nodes and variables, null where there are several.
  LogicalDevice* only_device() const;
};

/// True when the program wants a node of the graph to run elsewhere than on `device`.
bool names_other_devices(const Graph& graph, const LogicalDevice& device);

/// Finds a device for every node and variable of a graph that is to run on `device` but for the nodes that name another
/// one:
///
/// 1. A node that names a device runs there.
/// 2. A variable lives where the first such node reads it; others follow the nodes that read them.
/// 3. Any other node (a loss, a metric, an optimizer's update) runs where a variable of rule 2 lives that it reads,
/// else
///    where the largest of the tensors was computed that it reads.
/// 4. What depends on neither, such as the preparation of an input, runs where all its readers do; on `device` where
///    these differ, and where its result is smaller than what it reads, as less has to be copied then.
DeviceAssignment assign_devices(const Graph& graph, LogicalDevice& device);

}  // namespace rhyton::graph
