#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Computes in float32 what is summed over the batch in float16 or bfloat16, and rounds the sum: slices of the batch
/// can then be added up without rounding each of them, so that the op need not see the batch as a whole.
Graph widen_half_sums(const Graph& graph);

}  // namespace rhyton::graph
