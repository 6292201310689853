#pragma once

#include <rhyton/framework/graph/batch_analysis.h>

namespace rhyton::graph {

/// Runs sums over the batch whose results are large compared with their inputs (the gradient of a wide dense layer from
/// a small batch) on whole tensors instead: storing and adding a partial sum per slice would cost more than the
/// products themselves. Only where the kernel can compute parts of the result. Sums in a half type, which would be
/// rounded for each slice, and those of narrow integers (`segment_sum` of uint8) run on whole tensors too.
void prefer_whole_sums(const Graph& graph, BatchAnalysis& batch);

}  // namespace rhyton::graph
