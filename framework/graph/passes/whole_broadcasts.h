#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// For plans that do not slice the batch: replaces a broadcast to the shape of another tensor by one to that fixed
/// shape, which does not depend on the tensor.
Graph whole_broadcasts(const Graph& graph);

}  // namespace rhyton::graph
