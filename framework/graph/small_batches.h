#pragma once

#include <rhyton/framework/graph/batch_analysis.h>

namespace rhyton::graph {

/// Runs large ops whose batch has too few samples to be sliced (a single image, a few rows of a wide dense layer) on
/// whole tensors, if they can be computed in pieces: by kernels that divide the result; one sample also along the first
/// axis, if it has several rows of that, and in elementwise ops and concatenations along a later one. All cores then
/// take part, and weights are read once. The bits are those of slices.
void prefer_whole_pieces(const Graph& graph, BatchAnalysis& batch);

}  // namespace rhyton::graph
