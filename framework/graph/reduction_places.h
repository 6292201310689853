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

/// Contiguous memory for the tensors that replicas sum together, such as the gradients of all variables, and for their
/// sums in the same place: small sums are sent in few messages and without copies.
struct JointPlace {
  Interval interval;
  /// Its members and their offsets: a tensor and its sum have the same one.
  std::vector<std::pair<ValueId, std::size_t>> members;
};

/// One for each sum over replicas, whole or begun, that has tensors which may be overwritten. `has_place` returns
/// whether a value's root already has memory of its own, in a variable or an output.
std::vector<JointPlace> place_reductions(const Graph& graph, const Schedule& schedule, const Lifetimes& lifetimes,
                                         threading::FunctionRef<bool(ValueId)> has_place);

}  // namespace rhyton::graph
