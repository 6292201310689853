#include <rhyton/framework/graph/passes/fuse_batch_normalization.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/fused_batch_normalization.h>
#include <rhyton/framework/ops/op_kind.h>

namespace rhyton::graph {
namespace {

// The indices of the derivatives' inputs.
constexpr std::size_t gradient_input = 0;
constexpr std::size_t x_input = 1;
constexpr std::size_t mean_input = 2;
constexpr std::size_t variance_input = 3;
constexpr std::size_t gamma_input = 4;

/// A normalisation with the ops after it.
struct Fusion {
  const Node* normalization = nullptr;
  ValueId side_input = -1;
  Epilogue activation = Epilogue::none;

  const BatchNormalizationOp& op() const { return static_cast<const BatchNormalizationOp&>(*normalization->op); }
  // Named as BatchNormalizationOp's inputs.
  ValueId x() const { return normalization->inputs[0]; }
  ValueId mean() const { return normalization->inputs[1]; }
  ValueId variance() const { return normalization->inputs[2]; }
  ValueId gamma() const { return normalization->inputs[3]; }
  ValueId beta() const { return normalization->inputs[4]; }
};

class BatchNormalizationFuser {
 public:
  explicit BatchNormalizationFuser(const Graph& graph)
      : graph_(graph), readers_(graph), left_out_(graph.nodes().size(), false), rewriter_(graph) {}

  Graph run() {
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) find_fusion(static_cast<NodeId>(i));
    for (const auto& [last, fusion] : fusions_) find_masks(last, fusion);
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) put(static_cast<NodeId>(i));
    return rewriter_.finish();
  }

 private:
  const TensorSpec& spec(ValueId value) const { return graph_.value(value).spec; }
  void leave_out(NodeId node) { left_out_[static_cast<std::size_t>(node)] = true; }
  bool is_left_out(NodeId node) const { return left_out_[static_cast<std::size_t>(node)]; }

  /// Finds the fusion that begins at a node; it replaces its last member.
  void find_fusion(NodeId first) {
    const Node& normalization = graph_.node(first);
    if (op_as<BatchNormalizationOp>(normalization) == nullptr) return;
    Fusion fusion{&normalization};
    NodeId last = first;
    const auto follow = [&](NodeId next) {
      leave_out(last);
      last = next;
    };
    ValueId y = normalization.outputs[0];
    NodeId next = readers_.only(y);
    if (next >= 0 && is_add(*graph_.node(next).op) && !is_joined(next)) {
      const Node& sum = graph_.node(next);
      const ValueId other = sum.inputs[0] == y ? sum.inputs[1] : sum.inputs[0];
      if (spec(other) == spec(y)) {
        fusion.side_input = other;
        follow(next);
        y = sum.outputs[0];
        next = readers_.only(y);
      }
    }
    // The derivative of ReLU reads ReLU's result, so that its input may be removed.
    if (next >= 0 && is_relu(*graph_.node(next).op)) {
      fusion.activation = Epilogue::relu;
      follow(next);
    }
    if (last != first) fusions_[last] = fusion;
  }

  /// Whether another normalisation is already fused with the sum: a sum of two is fused with one of them.
  bool is_joined(NodeId sum) const { return is_left_out(sum) || fusions_.contains(sum); }

  /// Finds ReLU's derivatives that only the derivatives of the normalisation read.
  void find_masks(NodeId last, const Fusion& fusion) {
    if (fusion.activation != Epilogue::relu || fusion.side_input >= 0) return;
    for (const NodeId reader : readers_.of(graph_.node(last).outputs[0])) {
      const Node& mask = graph_.node(reader);
      if (!is_relu_gradient(*mask.op) || mask.inputs[1] != graph_.node(last).outputs[0]) continue;
      const ValueId masked = mask.outputs[0];
      if (spec(mask.inputs[0]) != spec(masked) || readers_.leaves(masked)) continue;
      const std::vector<NodeId>& further = readers_.of(masked);
      const bool only_derivatives =
          std::ranges::all_of(further, [&](NodeId id) { return is_derivative(graph_.node(id), masked, fusion); });
      if (!only_derivatives) continue;
      leave_out(reader);
      masks_[masked] = {mask.inputs[0], &fusion};
    }
  }

  /// Whether a node is a derivative of the fusion's normalisation for that gradient of its result.
  static bool is_derivative(const Node& node, ValueId gradient, const Fusion& fusion) {
    const std::vector<ValueId>& in = node.inputs;
    const auto* input_gradient = op_as<BatchNormalizationInputGradientOp>(node);
    if (input_gradient == nullptr && op_as<BatchNormalizationSumsOp>(node) == nullptr) return false;
    if (in[gradient_input] != gradient || in[x_input] != fusion.x() || in[mean_input] != fusion.mean()) return false;
    return input_gradient == nullptr || (in[variance_input] == fusion.variance() && in[gamma_input] == fusion.gamma() &&
                                         input_gradient->epsilon == fusion.op().epsilon);
  }

  void put(NodeId id) {
    const Node& node = graph_.node(id);
    if (const auto fusion = fusions_.find(id); fusion != fusions_.end()) {
      put_fusion(node, fusion->second);
    } else if (is_left_out(id)) {
      return;
    } else if (const auto mask = masks_.find(node.inputs.empty() ? -1 : node.inputs[0]); mask != masks_.end()) {
      put_derivative(node, mask->second.first, *mask->second.second);
    } else {
      rewriter_.keep(node);
    }
  }

  void put_fusion(const Node& last, const Fusion& fusion) {
    std::vector<ValueId> inputs = fusion.normalization->inputs;
    if (fusion.side_input >= 0) inputs.push_back(fusion.side_input);
    put(last, std::make_shared<const FusedBatchNormalizationOp>(fusion.activation, fusion.op().epsilon), inputs);
  }

  /// Replaces a derivative of the normalisation. `gradient` is that of ReLU's result.
  void put_derivative(const Node& node, ValueId gradient, const Fusion& fusion) {
    std::vector<ValueId> inputs = {gradient,          fusion.x(),     fusion.mean(),
                                   fusion.variance(), fusion.gamma(), fusion.beta()};
    if (const auto* op = op_as<BatchNormalizationInputGradientOp>(node)) {
      inputs.insert(inputs.end(), {node.inputs[5], node.inputs[6]});
      put(node, std::make_shared<const FusedBatchNormalizationInputGradientOp>(fusion.op().epsilon, op->count), inputs);
    } else {
      put(node, std::make_shared<const FusedBatchNormalizationSumsOp>(fusion.op().epsilon), inputs);
    }
  }

  void put(const Node& replaced, const OpPtr& op, const std::vector<ValueId>& inputs) {
    const NodeId added = rewriter_.target().add_node(op, rewriter_.mapped(inputs), graph_.specs_of(replaced.outputs));
    for (std::size_t i = 0; i < replaced.outputs.size(); ++i) {
      rewriter_.map(replaced.outputs[i], rewriter_.target().node(added).outputs[i]);
    }
  }

  const Graph& graph_;
  Readers readers_;
  /// By their last members.
  std::map<NodeId, Fusion> fusions_;
  /// For a result of a fused ReLU derivative: its input gradient, and the fusion.
  std::map<ValueId, std::pair<ValueId, const Fusion*>> masks_;
  std::vector<bool> left_out_;
  Rewriter rewriter_;
};

}  // namespace

Graph fuse_batch_normalization(const Graph& graph) { return BatchNormalizationFuser(graph).run(); }

}  // namespace rhyton::graph
