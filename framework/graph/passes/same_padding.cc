#include <rhyton/framework/graph/passes/same_padding.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/window.h>

namespace rhyton::graph {
namespace {

class PaddedConvolutions {
 public:
  explicit PaddedConvolutions(const Graph& graph) : graph_(graph), readers_(graph), rewriter_(graph) {}

  Graph run() {
    for (const Node& node : graph_.nodes()) {
      if (!joins_its_reader(node) && !replace(node)) rewriter_.keep(node);
    }
    return rewriter_.finish();
  }

 private:
  const Shape& shape_of(ValueId value) const { return graph_.value(value).spec.shape; }

  /// Whether the window of a convolution with `Padding::same` has the rows or columns of zeros that the node adds.
  bool pads_alike(const PadOp& pad, const Node& node, const Node& convolution, const Conv2DAttributes& window,
                  int axis) const {
    const auto at = static_cast<std::size_t>(axis);
    const WindowAxis same(shape_of(node.inputs[0])[axis], shape_of(convolution.inputs[1])[axis - 1],
                          window.strides[at - 1], window.dilation_rate[at - 1], Padding::same);
    return same.pad_before == pad.before[at] && same.pad_after == pad.after[at] &&
           same.output == shape_of(convolution.outputs[0])[axis];
  }

  /// Whether the node is a padding that the convolution which reads it can do.
  bool joins_its_reader(const Node& node) const {
    const auto* pad = op_as<PadOp>(node);
    if (pad == nullptr || pad->value != 0 || shape_of(node.inputs[0]).rank() != 4) return false;
    const auto is = [](std::int64_t number) { return [number](std::int64_t each) { return each == number; }; };
    if (!std::ranges::all_of(pad->steps, is(1)) || pad->before[0] != 0 || pad->after[0] != 0 || pad->before[3] != 0 ||
        pad->after[3] != 0) {
      return false;
    }
    const NodeId reader = readers_.only(node.outputs[0]);
    if (reader < 0) return false;
    const Node& convolution = graph_.node(reader);
    const auto* op = op_as<Conv2DOp>(convolution);
    return op != nullptr && op->window().padding == Padding::valid && convolution.inputs[0] == node.outputs[0] &&
           pads_alike(*pad, node, convolution, op->window(), 1) && pads_alike(*pad, node, convolution, op->window(), 2);
  }

  bool replace(const Node& node) {
    const auto* op = op_as<Conv2DOp>(node);
    const NodeId producer = op == nullptr ? -1 : graph_.value(node.inputs[0]).producer;
    if (producer < 0 || !joins_its_reader(graph_.node(producer))) return false;
    Conv2DAttributes window = op->window();
    window.padding = Padding::same;
    const std::vector<ValueId> inputs = {rewriter_.mapped(graph_.node(producer).inputs[0]),
                                         rewriter_.mapped(node.inputs[1])};
    const NodeId joined =
        rewriter_.target().add_node(std::make_shared<const Conv2DOp>(window), inputs, graph_.specs_of(node.outputs));
    rewriter_.map(node.outputs[0], rewriter_.target().node(joined).outputs[0]);
    return true;
  }

  const Graph& graph_;
  const Readers readers_;
  Rewriter rewriter_;
};

}  // namespace

Graph use_same_padding(const Graph& graph) { return PaddedConvolutions(graph).run(); }

}  // namespace rhyton::graph
