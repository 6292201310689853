#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// For plans that do not cut the batch: what is spread like another tensor is spread to that tensor's shape, and does
/// not wait for it.
Graph whole_broadcasts(const Graph& graph);

}  // namespace rhyton::graph
