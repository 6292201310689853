#include <rhyton/framework/graph/passes/fuse_channel_scales.h>

#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/passes/last_axis.h>
#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/op_kind.h>
#include <rhyton/framework/ops/parametric_elementwise.h>
#include <rhyton/framework/ops/scaled_conv.h>

namespace rhyton::graph {
namespace {

/// What a plain or fused convolution computes.
struct ScalableConvolution {
  Conv2DAttributes window;
  ConvAlgorithm algorithm = ConvAlgorithm::direct;
};

std::optional<ScalableConvolution> convolution_of(const Node& node) {
  if (const auto* plain = op_as<Conv2DOp>(node)) return ScalableConvolution{.window = plain->window()};
  const auto* fused = op_as<FusedConv2DOp>(node);
  if (fused == nullptr || fused->activation() != Epilogue::none) return std::nullopt;
  return ScalableConvolution{.window = fused->window(), .algorithm = fused->algorithm()};
}

/// The activations that the fused op can apply.
Epilogue epilogue_of(const Op& op) {
  if (is_relu(op)) return Epilogue::relu;
  const auto* clip = dynamic_cast<const ClipByValueOp*>(&op);
  return clip != nullptr && clip->lowest == 0 && clip->highest == 6 ? Epilogue::relu6 : Epilogue::none;
}

/// The nodes of one fusion: the last of them is replaced, the others are left out.
struct ScaledChain {
  const Node* convolution = nullptr;
  /// As in Conv1D, or null: it comes last then.
  const Node* reshape = nullptr;
  ValueId factor = -1;
  ValueId summand = -1;
  Epilogue activation = Epilogue::none;
};

class ScaleFuser {
 public:
  explicit ScaleFuser(const Graph& graph) : graph_(graph), readers_(graph) {}

  Graph run() {
    Rewriter rewriter(graph_);
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes().size()); ++id) {
      find_chain(id);
      if (const auto chain = ends_.find(id); chain != ends_.end()) {
        replace(rewriter, chain->second, graph_.node(id));
      } else if (!left_out_.contains(id)) {
        rewriter.keep(graph_.node(id));
      }
    }
    return rewriter.finish();
  }

 private:
  /// The other input of a node that reads `value` if it has one number for each channel, or -1.
  ValueId channels_beside(ValueId value, const Node& node) const {
    const ValueId other = node.inputs[0] == value ? node.inputs[1] : node.inputs[0];
    const TensorSpec& images = graph_.value(value).spec;
    const TensorSpec& row = graph_.value(other).spec;
    const bool fits = other != value && row.shape == Shape{images.shape.at(-1)} && row.dtype == images.dtype;
    return fits ? other : -1;
  }

  /// The only node that reads `value` if `is_kind` is true of its op, or -1.
  NodeId reader_of_kind(ValueId value, bool (*is_kind)(const Op&)) const {
    const NodeId reader = readers_.only(value);
    return reader >= 0 && is_kind(*graph_.node(reader).op) ? reader : -1;
  }

  void find_chain(NodeId first) {
    ScaledChain chain = {.convolution = &graph_.node(first)};
    if (!convolution_of(*chain.convolution)) return;
    ValueId images = chain.convolution->outputs[0];
    const NodeId reshape = readers_.only(images);
    if (reshape >= 0 && is_reshape_of_other_axes(graph_, graph_.node(reshape))) {
      chain.reshape = &graph_.node(reshape);
      images = chain.reshape->outputs[0];
    }
    const NodeId product = reader_of_kind(images, &is_multiply);
    if (product < 0 || (chain.factor = channels_beside(images, graph_.node(product))) < 0) return;
    const ValueId scaled = graph_.node(product).outputs[0];
    const NodeId sum = reader_of_kind(scaled, &is_add);
    if (sum < 0 || (chain.summand = channels_beside(scaled, graph_.node(sum))) < 0) return;
    NodeId last = sum;
    const NodeId next = readers_.only(graph_.node(sum).outputs[0]);
    if (next >= 0) chain.activation = epilogue_of(*graph_.node(next).op);
    if (chain.activation != Epilogue::none) last = next;
    for (const NodeId member : {first, product, sum}) left_out_.insert(member);
    if (chain.reshape != nullptr) left_out_.insert(reshape);
    ends_[last] = chain;
  }

  void replace(Rewriter& rewriter, const ScaledChain& chain, const Node& last) const {
    const ScalableConvolution convolution = *convolution_of(*chain.convolution);
    std::vector<ValueId> inputs = rewriter.mapped(chain.convolution->inputs);
    const ValueId factor = rewriter.mapped(chain.factor);
    ValueId offset = rewriter.mapped(chain.summand);
    if (inputs.size() > 2) {
      const TensorSpec& row = graph_.value(chain.factor).spec;
      const Graph with_bias = trace({{row, -1}, {row, -1}, {row, -1}}, [](const std::vector<Tensor>& in) {
        return std::vector<Tensor>{in[0] * in[1] + in[2]};
      });
      offset = rewriter.insert(with_bias, {inputs[2], factor, offset})[0];
      inputs.resize(2);
    }
    inputs.push_back(factor);
    inputs.push_back(offset);
    const auto op = std::make_shared<const ScaledConv2DOp>(chain.activation, convolution.window, convolution.algorithm);
    add_fused(rewriter, op, std::move(inputs), *chain.convolution, chain.reshape, last);
  }

  const Graph& graph_;
  const Readers readers_;
  std::unordered_map<NodeId, ScaledChain> ends_;
  std::unordered_set<NodeId> left_out_;
};

}  // namespace

Graph fuse_channel_scales(const Graph& graph) { return ScaleFuser(graph).run(); }

}  // namespace rhyton::graph
