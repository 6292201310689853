#include <rhyton/framework/graph/passes/constant_folding.h>

#include <algorithm>
#include <optional>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/listeners.h>

namespace rhyton::graph {
namespace {

// A larger constant would cost more memory than its computation costs time.
constexpr std::size_t max_bytes = 64 * 1024;

bool can_fold(const Graph& graph, const Node& node) {
  if (!node.op->is_deterministic()) return false;
  for (const ValueId id : node.outputs) {
    if (graph.value(id).spec.bytes() > max_bytes) return false;
  }
  return true;
}

}  // namespace

Graph fold_constants(const Graph& graph) {
  Rewriter rewriter(graph);
  const InitScope eager;
  // Constants are small: they are not worth a call of another task.
  std::optional<DeviceScope> here;
  if (current_device().is_remote()) here.emplace(device_runtime().host());
  for (const Node& node : graph.nodes()) {
    const std::vector<ValueId> inputs = rewriter.mapped(node.inputs);
    const bool constant = std::all_of(inputs.begin(), inputs.end(), [&](ValueId id) {
      return rewriter.target().value(id).kind == Value::Kind::constant;
    });
    if (!constant || !can_fold(graph, node)) {
      rewriter.keep(node);
      continue;
    }
    std::vector<Tensor> tensors;
    for (const ValueId id : inputs) tensors.push_back(rewriter.target().value(id).constant);
    const std::vector<Tensor> results = rhyton::apply(node.op, tensors);
    for (std::size_t i = 0; i < results.size(); ++i) {
      rewriter.map(node.outputs[i], rewriter.target().add_constant(results[i]));
    }
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
