#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Replaces a sum of tensors that were padded with zeros, each to a part of its own along one axis, by their
/// concatenation: it is the gradient of a tensor that is taken apart by slices which together cover it, as
/// `x[:, :units]` and `x[:, units:]`.
Graph concatenate_padded_sums(const Graph& graph);

}  // namespace rhyton::graph
