#include <rhyton/framework/graph/passes/sum_kernel_gradients.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/op_kind.h>
#include <rhyton/framework/ops/summed_kernel_gradients.h>

namespace rhyton::graph {
namespace {

class KernelGradientSums {
 public:
  explicit KernelGradientSums(const Graph& graph) : graph_(graph), readers_(graph), rewriter_(graph) {}

  Graph run() {
    for (const Node& node : graph_.nodes()) {
      if (!is_add(*node.op) || is_part_of_a_sum(node) || !join(node)) rewriter_.keep(node);
    }
    return rewriter_.finish();
  }

 private:
  bool is_part_of_a_sum(const Node& node) const {
    const NodeId reader = readers_.only(node.outputs[0]);
    return reader >= 0 && is_add(*graph_.node(reader).op) && has_its_shape(graph_.node(reader), node.outputs[0]);
  }

  bool has_its_shape(const Node& sum, ValueId value) const {
    return graph_.value(value).spec == graph_.value(sum.outputs[0]).spec;
  }

  bool join(const Node& sum) {
    // Kernels of half types widen all of their inputs at once.
    if (is_half(graph_.value(sum.outputs[0]).spec.dtype)) return false;
    std::vector<ValueId> products;
    std::vector<ValueId> others;
    if (!collect(sum, products, others) || products.size() < 2) return false;
    // In the order in which they would have been computed.
    std::ranges::sort(products);
    std::ranges::sort(others);
    std::vector<ValueId> inputs;
    for (const ValueId product : products) {
      const Node& node = graph_.node(graph_.value(product).producer);
      inputs.insert(inputs.end(), node.inputs.begin(), node.inputs.end());
    }
    ValueId result = add_node(std::make_shared<const SummedKernelGradientsOp>(), rewriter_.mapped(inputs), sum);
    for (const ValueId other : others) result = add_node(sum.op, {result, rewriter_.mapped(other)}, sum);
    rewriter_.map(sum.outputs[0], result);
    return true;
  }

  ValueId add_node(const OpPtr& op, std::vector<ValueId> inputs, const Node& sum) {
    Graph& target = rewriter_.target();
    return target.node(target.add_node(op, std::move(inputs), graph_.specs_of(sum.outputs))).outputs[0];
  }

  /// The terms of the sum, through all additions that nothing else reads: products that nothing else reads, and others.
  /// False if one is broadcast.
  bool collect(const Node& sum, std::vector<ValueId>& products, std::vector<ValueId>& others) const {
    std::vector<ValueId> rest = sum.inputs;
    while (!rest.empty()) {
      const ValueId value = rest.back();
      rest.pop_back();
      if (!has_its_shape(sum, value)) return false;
      const NodeId producer = graph_.value(value).producer;
      const Node* const node = producer >= 0 && readers_.only(value) >= 0 ? &graph_.node(producer) : nullptr;
      if (node != nullptr && is_add(*node->op)) {
        rest.insert(rest.end(), node->inputs.begin(), node->inputs.end());
      } else if (node != nullptr && op_as<MatMulKernelGradientOp>(*node) != nullptr) {
        products.push_back(value);
      } else {
        others.push_back(value);
      }
    }
    return true;
  }

  const Graph& graph_;
  const Readers readers_;
  Rewriter rewriter_;
};

}  // namespace

Graph sum_kernel_gradients(const Graph& graph) { return KernelGradientSums(graph).run(); }

}  // namespace rhyton::graph
