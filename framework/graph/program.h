#pragma once

#include <string>

#include <rhyton/framework/graph/executable_options.h>
#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/plan.h>

namespace rhyton::graph {

/// A graph compiled for one device. It does not change while it runs.
struct Program {
  /// The graph after the passes.
  Graph graph;
  Plan plan;
  LogicalDevice* device = nullptr;
  /// The name in profiles.
  std::string name;
  /// Whether memory is overwritten with NaN after its last reader.
  bool is_checked = false;
};

/// Optimizes and plans a graph for that device. Throws NotImplementedError for an op without a kernel.
Program compile(const Graph& graph, const ExecutableOptions& options, LogicalDevice& device);

/// Whether plans are printed to standard error: "plan" in the environment variable RHYTON_LOG.
bool logs_plans();

}  // namespace rhyton::graph
