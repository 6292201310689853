#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/device_session.h>
#include <rhyton/framework/graph/graph.h>

namespace rhyton::distribute {

/// The numbers of a graph's variables in `RemoteGraph::variables`, with those that are only assigned.
std::vector<Variable> variables_of(const graph::Graph& graph);

/// Describes a graph for another task, except for its constants, whose places the caller adds in the order of
/// `constants`. Throws NotImplementedError, which names the op and `device`, for ops that cannot be sent.
RemoteGraph describe(const graph::Graph& graph, const std::string& device, std::vector<Tensor>& constants);

/// Throws NotImplementedError, which says why, for an op that cannot be sent to another task.
void require_sendable(const Op& op, const std::string& device);

/// What remains of `limit` bytes without those of a tensor. An axis of length 0 counts as 1, since kernels may prepare
/// for the other axes. Throws ResourceExhaustedError, which names `what`, where it would be less than nothing.
std::size_t left_of(std::size_t limit, const TensorSpec& spec, const std::string& what);

/// Builds the graph that a description, which may come from anyone, means, with `constants` and `variables` for its
/// own. Throws ValueError, or what ops throw for their inputs, for one that is not valid, and ResourceExhaustedError
/// where all values together have more than `max_bytes` bytes.
graph::Graph build_graph(const RemoteGraph& description, std::span<const Tensor> constants,
                         std::span<const Variable> variables, std::size_t max_bytes);

}  // namespace rhyton::distribute
