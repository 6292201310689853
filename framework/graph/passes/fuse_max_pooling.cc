#include <rhyton/framework/graph/passes/fuse_max_pooling.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/ops/conv_max_pool.h>
#include <rhyton/framework/ops/op_kind.h>

namespace rhyton::graph {
namespace {

class MaxPoolingFuser {
 public:
  explicit MaxPoolingFuser(const Graph& graph) : graph_(graph), readers_(graph) {}

  Graph run() {
    Rewriter rewriter(graph_);
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      if (const auto masked = unmasked_.find(static_cast<NodeId>(i)); masked != unmasked_.end()) {
        // The elements that ReLU's derivative would set to zero are already zero.
        rewriter.map(node.outputs[0], rewriter.mapped(masked->second));
      } else if (op_as<MaxPool2DOp>(node) != nullptr && fuse(rewriter, static_cast<NodeId>(i))) {
        continue;
      } else {
        rewriter.keep(node);
      }
    }
    return rewriter.finish();
  }

 private:
  static std::optional<FusedConv2DOp> convolution_of(const Node& node) {
    if (const auto* fused = op_as<FusedConv2DOp>(node)) return *fused;
    if (const auto* plain = op_as<Conv2DOp>(node)) return FusedConv2DOp(Epilogue::none, plain->window());
    return std::nullopt;
  }

  bool fuse(Rewriter& rewriter, NodeId id) {
    const Node& node = graph_.node(id);
    const ValueId y = node.inputs[0];
    const NodeId producer = graph_.value(y).producer;
    if (producer < 0 || readers_.leaves(y)) return false;
    const std::optional<FusedConv2DOp> convolution = convolution_of(graph_.node(producer));
    const MaxPool2DOp& pool = *op_as<MaxPool2DOp>(node);
    if (!convolution || no_cell(pool.window()) > 255) return false;
    const bool cuts = convolution->activation() == Epilogue::relu;
    if (cuts ? !only_masks_read(id, y) : readers_.only(y) != id) return false;

    const ValueId index = node.outputs[1];
    const bool has_index = readers_.leaves(index) || !readers_.of(index).empty();
    std::vector<ValueId> outputs = {node.outputs[0]};
    if (has_index) outputs.push_back(index);
    const auto op = std::make_shared<const FusedConv2DMaxPoolOp>(*convolution, pool.window(), has_index);
    const NodeId fused =
        rewriter.target().add_node(op, rewriter.mapped(graph_.node(producer).inputs), graph_.specs_of(outputs));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      rewriter.map(outputs[i], rewriter.target().node(fused).outputs[i]);
    }
    return true;
  }

  /// True when besides the pooling only ReLU's derivatives of this pooling's derivatives read y, and the pooling's
  /// index has no other use; records these.
  bool only_masks_read(NodeId pool, ValueId y) {
    const ValueId index = graph_.node(pool).outputs[1];
    if (readers_.leaves(index)) return false;
    std::map<NodeId, ValueId> masks;
    for (const NodeId reader : readers_.of(y)) {
      if (reader == pool) continue;
      const Node& mask = graph_.node(reader);
      if (!is_relu_gradient(*mask.op) || mask.inputs[1] != y || mask.inputs[0] == y) return false;
      const NodeId unpooling = graph_.value(mask.inputs[0]).producer;
      if (unpooling < 0 || op_as<MaxPool2DGradientOp>(graph_.node(unpooling)) == nullptr) return false;
      if (graph_.node(unpooling).inputs[1] != index || readers_.leaves(mask.inputs[0])) return false;
      masks[reader] = mask.inputs[0];
    }
    for (const NodeId reader : readers_.of(index)) {
      const Node& unpooling = graph_.node(reader);
      if (op_as<MaxPool2DGradientOp>(unpooling) == nullptr) return false;
      const std::vector<NodeId>& further = readers_.of(unpooling.outputs[0]);
      const bool all_masked =
          std::all_of(further.begin(), further.end(), [&](NodeId id) { return masks.contains(id); });
      if (!all_masked || readers_.leaves(unpooling.outputs[0])) return false;
    }
    unmasked_.merge(masks);
    return true;
  }

  const Graph& graph_;
  Readers readers_;
  /// ReLU's derivatives that are removed, and their replacements.
  std::map<NodeId, ValueId> unmasked_;
};

}  // namespace

Graph fuse_max_pooling(const Graph& graph) { return MaxPoolingFuser(graph).run(); }

}  // namespace rhyton::graph
