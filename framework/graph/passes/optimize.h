#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Which passes run. Each can be switched off to find a fault; `RHYTON_NO_FUSION=1` in the environment switches off
/// those that join ops, `RHYTON_NO_ELEMENTWISE_FUSION=1` only the one that makes chains of elementwise ops.
struct PassOptions {
  bool fold_constants = true;
  bool fuse = true;
  bool fuse_elementwise = true;
};

/// Runs the passes until the graph is as it shall be planned.
Graph optimize(const Graph& graph, const PassOptions& options = {});

}  // namespace rhyton::graph
