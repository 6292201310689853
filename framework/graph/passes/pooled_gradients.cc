#include <rhyton/framework/graph/passes/pooled_gradients.h>

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/ops/conv_max_pool.h>
#include <rhyton/framework/ops/op_kind.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::graph {
namespace {

// With fewer cells per nonzero gradient the dense form is as fast.
constexpr std::int64_t fewest_cells = 3;

class PooledGradients {
 public:
  PooledGradients(const Graph& graph, const KernelTable& kernels)
      : graph_(graph), kernels_(kernels), readers_(graph), rewriter_(graph) {}

  Graph run() {
    for (const Node& node : graph_.nodes()) {
      if (const auto* kernel_gradient = op_as<Conv2DKernelGradientOp>(node)) {
        const Node* const unpooling = sparse(node.inputs[1]);
        const auto gradients = unpooling == nullptr ? std::nullopt : parameters(node, *kernel_gradient, *unpooling);
        if (gradients) {
          rewriter_.map(node.outputs[0], gradients->first);
          continue;
        }
      } else if (const auto* input_gradient = op_as<Conv2DInputGradientOp>(node)) {
        const Node* const unpooling = sparse(node.inputs[1]);
        if (unpooling != nullptr && replace_input_gradient(node, *input_gradient, *unpooling)) continue;
      } else if (is_sum_over_pixels(node) && replace_bias_gradient(node)) {
        continue;
      }
      rewriter_.keep(node);
    }
    return rewriter_.finish();
  }

 private:
  /// The unpooling that computes this value, if most of it is zero.
  const Node* sparse(ValueId value) const {
    const NodeId producer = graph_.value(value).producer;
    if (producer < 0) return nullptr;
    const Node& node = graph_.node(producer);
    const auto* unpooling = op_as<MaxPool2DGradientOp>(node);
    if (unpooling == nullptr) return nullptr;
    const Pool2DAttributes& pool = unpooling->window();
    const bool is_sparse = pool.strides[0] * pool.strides[1] >= fewest_cells && no_cell(pool) <= 255;
    return is_sparse ? &node : nullptr;
  }

  bool is_sum_over_pixels(const Node& node) const {
    const auto* sum = op_as<ReduceOp>(node);
    return sum != nullptr && is_sum(*node.op) && sum->axes == std::vector<int>{0, 1, 2} &&
           graph_.value(node.outputs[0]).spec.dtype == graph_.value(node.inputs[0]).spec.dtype;
  }

  bool is_supported(const Op& op, const std::vector<TensorSpec>& inputs, const std::vector<TensorSpec>& outputs) const {
    const Kernel* const kernel = kernels_.find(op.name(), op.kernel_dtype(inputs));
    return kernel != nullptr && (kernel->accepts == nullptr || kernel->accepts(op, inputs, outputs));
  }

  /// The gradients of kernel and bias, from one node, if there is a kernel for it.
  std::optional<std::pair<ValueId, ValueId>> parameters(const Node& node, const Conv2DKernelGradientOp& op,
                                                        const Node& unpooling) {
    const auto key = std::pair(node.outputs[0], unpooling.outputs[0]);
    if (const auto it = made_.find(key); it != made_.end()) return it->second;
    const TensorSpec& kernel = graph_.value(node.outputs[0]).spec;
    const auto pooled = std::make_shared<const Conv2DMaxPoolKernelGradientOp>(
        op.kernel_height(), op.kernel_width(), op.window(), op_as<MaxPool2DGradientOp>(unpooling)->window());
    const std::vector<ValueId> inputs = {node.inputs[0], unpooling.inputs[0], unpooling.inputs[1]};
    const std::vector<TensorSpec> output_specs = {kernel, {{kernel.shape[3]}, kernel.dtype}};
    if (!is_supported(*pooled, graph_.specs_of(inputs), output_specs)) return std::nullopt;
    const NodeId id = rewriter_.target().add_node(pooled, rewriter_.mapped(inputs), output_specs);
    const std::vector<ValueId>& outputs = rewriter_.target().node(id).outputs;
    return made_.emplace(key, std::pair(outputs[0], outputs[1])).first->second;
  }

  bool replace_input_gradient(const Node& node, const Conv2DInputGradientOp& op, const Node& unpooling) {
    const auto pooled = std::make_shared<const Conv2DMaxPoolInputGradientOp>(
        op.height(), op.width(), op.window(), op_as<MaxPool2DGradientOp>(unpooling)->window());
    const std::vector<ValueId> inputs = {node.inputs[0], unpooling.inputs[0], unpooling.inputs[1]};
    if (!is_supported(*pooled, graph_.specs_of(inputs), graph_.specs_of(node.outputs))) return false;
    const NodeId id = rewriter_.target().add_node(pooled, rewriter_.mapped(inputs), graph_.specs_of(node.outputs));
    rewriter_.map(node.outputs[0], rewriter_.target().node(id).outputs[0]);
    return true;
  }

  /// Takes a sum over all pixels of a gradient from the node that also computes the kernel's gradient from it.
  bool replace_bias_gradient(const Node& node) {
    const Node* unpooling = sparse(node.inputs[0]);
    if (unpooling == nullptr) return false;
    for (const NodeId reader : readers_.of(node.inputs[0])) {
      const Node& other = graph_.node(reader);
      const auto* op = op_as<Conv2DKernelGradientOp>(other);
      if (op == nullptr || other.inputs[1] != node.inputs[0] || !exists_before(other.inputs[0], node)) continue;
      const auto gradients = parameters(other, *op, *unpooling);
      if (!gradients) continue;
      const ValueId bias = gradients->second;
      const TensorSpec& spec = graph_.value(node.outputs[0]).spec;
      const NodeId id = rewriter_.target().add_node(std::make_shared<const ReshapeOp>(spec.shape), {bias}, {spec});
      rewriter_.map(node.outputs[0], rewriter_.target().node(id).outputs[0]);
      return true;
    }
    return false;
  }

  bool exists_before(ValueId value, const Node& node) const {
    return graph_.value(value).producer < graph_.value(node.outputs[0]).producer;
  }

  const Graph& graph_;
  const KernelTable& kernels_;
  Readers readers_;
  Rewriter rewriter_;
  std::map<std::pair<ValueId, ValueId>, std::pair<ValueId, ValueId>> made_;
};

}  // namespace

Graph use_pooled_gradients(const Graph& graph, const KernelTable& kernels) {
  return PooledGradients(graph, kernels).run();
}

}  // namespace rhyton::graph
