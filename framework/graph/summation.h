#pragma once

#include <rhyton/framework/graph/batch_analysis.h>

namespace rhyton::graph {

/// Sums over the batch that are large against what they sum (the gradient of a wide dense layer from a small batch) run
/// on whole tensors instead: a partial sum per slice would cost more to keep and add than the products themselves.
/// Only where the kernel can compute parts of the result. Sums in a half type, which would be rounded at each slice,
/// run on whole tensors too.
void prefer_whole_sums(const Graph& graph, BatchAnalysis& batch);

}  // namespace rhyton::graph
