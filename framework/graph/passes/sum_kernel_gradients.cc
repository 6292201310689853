#include <rhyton/framework/graph/passes/sum_kernel_gradients.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/graph/passes/sum_terms.h>
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
      if (!is_add(*node.op) || is_part_of_a_sum(graph_, readers_, node) || !join(node)) rewriter_.keep(node);
    }
    return rewriter_.finish();
  }

 private:
  bool join(const Node& sum) {
    // Kernels of half types widen all of their inputs at once.
    if (is_half(graph_.value(sum.outputs[0]).spec.dtype)) return false;
    std::vector<ValueId> terms = terms_of_sum(graph_, readers_, sum);
    // In the order in which they would have been computed.
    std::ranges::sort(terms);
    const auto end_of_products = std::stable_partition(
        terms.begin(), terms.end(), [&](ValueId value) { return is_product_of_this_sum_alone(value); });
    const std::span products(terms.begin(), end_of_products);
    const std::span others(end_of_products, terms.end());
    if (products.size() < 2) return false;
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

  bool is_product_of_this_sum_alone(ValueId value) const {
    const NodeId producer = graph_.value(value).producer;
    return producer >= 0 && readers_.only(value) >= 0 &&
           op_as<MatMulKernelGradientOp>(graph_.node(producer)) != nullptr;
  }

  const Graph& graph_;
  const Readers readers_;
  Rewriter rewriter_;
};

}  // namespace

Graph sum_kernel_gradients(const Graph& graph) { return KernelGradientSums(graph).run(); }

}  // namespace rhyton::graph
