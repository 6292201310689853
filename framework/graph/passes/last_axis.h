#pragma once

#include <vector>

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

// Convolutions in one and three dimensions are reshaped convolutions of images: what is added to or multiplied with
// their channels may as well come before the reshape.

/// Whether the node is a reshape that leaves the last axis as it is.
bool is_reshape_of_other_axes(const Graph& graph, const Node& node);

/// Adds `op`, whose result has the shape of that of the node `first`, and behind it a reshape like `reshape`, if this
/// is not null. The result takes the place of the result of the node `last`.
void add_fused(Rewriter& rewriter, const OpPtr& op, std::vector<ValueId> inputs, const Node& first, const Node* reshape,
               const Node& last);

}  // namespace rhyton::graph
