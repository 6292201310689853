#pragma once

#include <cstddef>
#include <vector>

#include <rhyton/framework/graph/device_assignment.h>
#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// A part of a graph that one device runs by itself.
struct GraphPart {
  LogicalDevice* device = nullptr;
  /// Its nodes; variables that live on its device, and constants, are as in the whole graph. Nothing in it names a
  /// device.
  Graph graph;
  /// Per input of `graph`: the value of the whole graph that goes in: an input, a value that an earlier part computes,
  /// or a variable that lives elsewhere.
  std::vector<ValueId> inputs;
  /// Per output of `graph`: the value of the whole graph that comes out.
  std::vector<ValueId> outputs;
};

/// A graph cut into parts that run one after the other, each on one device.
struct Partition {
  std::vector<GraphPart> parts;
  /// The updates that no part does itself: to be carried out when all parts have run, so that no part sees what another
  /// has written. The last part does those whose variables live on its device and whose values it computes.
  std::vector<Update> updates;
};

/// Cuts the graph where the order of its nodes requires it: a device runs all that it can before another one goes on,
/// and the one begins on whose results the longest row of other devices waits. The parts of a graph on two devices are
/// as few as can be.
Partition partition(const Graph& graph, const DeviceAssignment& devices);

}  // namespace rhyton::graph
