#pragma once

#include <cstddef>
#include <vector>

#include <rhyton/framework/graph/device_assignment.h>
#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// A part of a graph that runs on one device.
struct GraphPart {
  LogicalDevice* device = nullptr;
  /// Its nodes; variables on its device, and constants, are as in the whole graph. No node names a device.
  Graph graph;
  /// Per input of `graph`: the corresponding value of the whole graph: an input, a value that an earlier part computes,
  /// or a variable on another device.
  std::vector<ValueId> inputs;
  /// Per output of `graph`: the corresponding value of the whole graph.
  std::vector<ValueId> outputs;
};

/// A graph divided into parts that run one after the other, each on one device.
struct Partition {
  std::vector<GraphPart> parts;
  /// The updates to carry out when all parts have run, so that no part reads a value that another has written. The last
  /// part does those whose variables are on its device and whose values it computes itself.
  std::vector<Update> updates;
};

/// Divides the graph where the order of its nodes requires it: a device runs all that it can before another one
/// continues; the device whose results the longest chain of other devices waits for comes first. The number of parts
/// of a graph on two devices is minimal.
Partition partition(const Graph& graph, const DeviceAssignment& devices);

}  // namespace rhyton::graph
