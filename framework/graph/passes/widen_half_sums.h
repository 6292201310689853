#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Computes sums over the batch in float16 or bfloat16 as float32 sums and rounds the result: the sums of slices can
/// then be added up without rounding each of them, so that the op need not run on the whole batch.
Graph widen_half_sums(const Graph& graph);

}  // namespace rhyton::graph
