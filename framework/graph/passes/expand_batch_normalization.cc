#include <rhyton/framework/graph/passes/expand_batch_normalization.h>

#include <vector>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/graph/passes/replace_nodes.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::graph {

Graph expand_batch_normalization(const Graph& graph) {
  return replace_nodes(graph, [](const Node& node) -> Function {
    if (const auto* op = op_as<BatchNormalizationOp>(node)) {
      return [op](const std::vector<Tensor>& in) {
        const auto [factor, offset] = batch_normalization_line(in[1], in[2], in[3], in[4], op->epsilon);
        return std::vector<Tensor>{cast(cast(in[0], factor.dtype()) * factor + offset, in[0].dtype())};
      };
    }
    if (const auto* op = op_as<BatchNormalizationInputGradientOp>(node)) {
      return [op](const std::vector<Tensor>& in) {
        return std::vector<Tensor>{batch_normalization_input_gradient(in, op->epsilon, op->count)};
      };
    }
    return {};
  });
}

}  // namespace rhyton::graph
