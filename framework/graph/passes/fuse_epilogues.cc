#include <rhyton/framework/graph/passes/fuse_epilogues.h>

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/passes/last_axis.h>
#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/op_kind.h>

namespace rhyton::graph {
namespace {

// The nodes of one fusion: the last of them is replaced, the others are left out.
struct Chain {
  const Node* product = nullptr;
  /// What brings the product into the shape of the layer's result, as in Conv1D, or null: it comes last then.
  const Node* reshape = nullptr;
  ValueId bias = -1;
  Epilogue activation = Epilogue::none;
};

class EpilogueFuser {
 public:
  explicit EpilogueFuser(const Graph& graph) : graph_(graph), readers_(graph) {}

  Graph run() {
    Rewriter rewriter(graph_);
    std::unordered_map<NodeId, Chain> ends;
    std::vector<bool> left_out(graph_.nodes().size(), false);
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      if (const auto it = ends.find(id); it != ends.end()) {
        replace(rewriter, it->second, graph_.node(id));
        continue;
      }
      if (left_out[i]) continue;
      Chain chain;
      std::vector<NodeId> members;
      if (find_chain(id, chain, members)) {
        for (const NodeId member : members) left_out[static_cast<std::size_t>(member)] = true;
        ends[members.back()] = chain;
        continue;
      }
      rewriter.keep(graph_.nodes()[i]);
    }
    return rewriter.finish();
  }

 private:
  bool is_product(const Node& node) const {
    if (op_as<Conv2DOp>(node) != nullptr) return true;
    const auto* product = op_as<MatMulOp>(node);
    return product != nullptr && !product->transpose_a() && graph_.value(node.inputs[1]).spec.shape.rank() == 2;
  }

  bool find_chain(NodeId start, Chain& chain, std::vector<NodeId>& members) const {
    const Node& product = graph_.node(start);
    if (!is_product(product)) return false;
    chain.product = &product;
    members = {start};
    ValueId last = product.outputs[0];
    NodeId next = readers_.only(last);
    if (next >= 0 && is_reshape_of_other_axes(graph_, graph_.node(next))) {
      chain.reshape = &graph_.node(next);
      members.push_back(next);
      last = chain.reshape->outputs[0];
      next = readers_.only(last);
    }
    if (next >= 0 && is_add(*graph_.node(next).op)) {
      const Node& sum = graph_.node(next);
      const ValueId other = sum.inputs[0] == last ? sum.inputs[1] : sum.inputs[0];
      const Shape& shape = graph_.value(last).spec.shape;
      const Shape& bias = graph_.value(other).spec.shape;
      const bool is_bias = bias.rank() == 1 && bias[0] == shape[shape.rank() - 1];
      if (other != last && is_bias) {
        chain.bias = other;
        members.push_back(next);
        last = sum.outputs[0];
        next = readers_.only(last);
      }
    }
    // The gradient of ReLU reads its output, so the input may be removed.
    if (next >= 0 && is_relu(*graph_.node(next).op)) {
      chain.activation = Epilogue::relu;
      members.push_back(next);
    }
    return members.size() > (chain.reshape == nullptr ? 1U : 2U);
  }

  void replace(Rewriter& rewriter, const Chain& chain, const Node& last) const {
    OpPtr op;
    if (const auto* conv = op_as<Conv2DOp>(*chain.product)) {
      op = std::make_shared<const FusedConv2DOp>(chain.activation, conv->window());
    } else {
      const auto& product = static_cast<const MatMulOp&>(*chain.product->op);
      op = std::make_shared<const FusedMatMulOp>(chain.activation, product.transpose_b());
    }
    std::vector<ValueId> inputs = rewriter.mapped(chain.product->inputs);
    if (chain.bias >= 0) inputs.push_back(rewriter.mapped(chain.bias));
    add_fused(rewriter, op, std::move(inputs), *chain.product, chain.reshape, last);
  }

  const Graph& graph_;
  const Readers readers_;
};

}  // namespace

Graph fuse_epilogues(const Graph& graph) { return EpilogueFuser(graph).run(); }

}  // namespace rhyton::graph
