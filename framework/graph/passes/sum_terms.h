#pragma once

#include <vector>

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/passes/readers.h>

namespace rhyton::graph {

/// Whether the sum is a term of another one, which alone reads it and has its shape and dtype.
bool is_part_of_a_sum(const Graph& graph, const Readers& readers, const Node& sum);

/// The terms of the sum, through all additions that nothing else reads; empty if one of them is broadcast.
std::vector<ValueId> terms_of_sum(const Graph& graph, const Readers& readers, const Node& sum);

}  // namespace rhyton::graph
