#include <rhyton/framework/graph/passes/expand_channel_moments.h>

#include <vector>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/graph/passes/replace_nodes.h>
#include <rhyton/framework/ops/batch_normalization.h>

namespace rhyton::graph {

Graph expand_channel_moments(const Graph& graph) {
  return replace_nodes(graph, [](const Node& node) -> Function {
    if (op_as<ChannelMomentsOp>(node) == nullptr) return {};
    return [](const std::vector<Tensor>& in) {
      const Moments moments = channel_moments_from_sums(in[0]);
      return std::vector<Tensor>{moments.mean, moments.variance};
    };
  });
}

}  // namespace rhyton::graph
