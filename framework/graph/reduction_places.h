#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/arena_layout.h>
#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/lifetimes.h>
#include <rhyton/framework/graph/schedule.h>
#include <rhyton/framework/threading/function_ref.h>

namespace rhyton::graph {

/// Memory in which everything that replicas sum together stands side by side, gradients of all variables one after the
/// other, and the sums in their place: so that little is sent in few messages, and what travels stays where it is.
struct JointPlace {
  Interval interval;
  /// What lies in it, and where: a tensor and its sum have one offset.
  std::vector<std::pair<ValueId, std::size_t>> members;
};

/// One for each sum over replicas, whole or begun, that has tensors which may be overwritten. `has_place` tells of a
/// value's root whether it lies elsewhere already, in a variable or an output.
std::vector<JointPlace> place_reductions(const Graph& graph, const Schedule& schedule, const Lifetimes& lifetimes,
                                         threading::FunctionRef<bool(ValueId)> has_place);

}  // namespace rhyton::graph
