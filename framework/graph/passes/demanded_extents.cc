#include <rhyton/framework/graph/passes/demanded_extents.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <tuple>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/op_kind.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::graph {
namespace {

/// The first rows and columns of images.
struct Extents {
  std::array<std::int64_t, 2> length = {0, 0};

  static Extents of(const Shape& shape) { return {{shape[1], shape[2]}}; }
  friend bool operator==(const Extents&, const Extents&) = default;
};

Extents smaller(const Extents& a, const Extents& b) {
  return {{std::min(a.length[0], b.length[0]), std::min(a.length[1], b.length[1])}};
}
Extents larger(const Extents& a, const Extents& b) {
  return {{std::max(a.length[0], b.length[0]), std::max(a.length[1], b.length[1])}};
}

/// The extents that this number of windows covers.
Extents reach(const Extents& outputs, const std::array<std::int64_t, 2>& window,
              const std::array<std::int64_t, 2>& strides, const std::array<std::int64_t, 2>& dilation = {1, 1}) {
  Extents result;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (outputs.length[axis] == 0) continue;
    result.length[axis] = (outputs.length[axis] - 1) * strides[axis] + (window[axis] - 1) * dilation[axis] + 1;
  }
  return result;
}

/// The number of windows that begin within these extents.
Extents beginning(const Extents& inputs, const std::array<std::int64_t, 2>& strides) {
  Extents result;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    result.length[axis] = (inputs.length[axis] + strides[axis] - 1) / strides[axis];
  }
  return result;
}

/// How demand and zeros are propagated through a node, and how to shrink it.
enum class ExtentKind {
  /// Not at all: it reads and computes whole images.
  other,
  convolution,
  input_gradient,
  kernel_gradient,
  pooling,
  unpooling,
  elementwise,
  slice,
  padding,
  pixel_sum,
};

class Shrinker {
 public:
  explicit Shrinker(const Graph& graph) : graph_(graph), rewriter_(graph), is_whole_(graph.values().size(), false) {
    for (const Node& node : graph.nodes()) kinds_.push_back(kind_of(node));
    for (const ValueId id : graph.outputs) is_whole_[at(id)] = true;
    for (const Update& update : graph.updates) is_whole_[at(update.value)] = true;
  }

  Graph run() {
    // Nodes that do not support smaller values keep theirs whole; that changes the demand of other nodes.
    do {
      find_zeros();
      find_demand();
    } while (pin_misfits());
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) rewrite(graph_.nodes()[i], kinds_[i]);
    return rewriter_.finish();
  }

 private:
  static std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }
  const Shape& shape_of(ValueId id) const { return graph_.value(id).spec.shape; }
  bool is_image(ValueId id) const { return shape_of(id).rank() == 4; }
  Extents whole(ValueId id) const { return Extents::of(shape_of(id)); }

  /// The extents of the value in the new graph.
  Extents extents(ValueId id) const {
    if (is_whole_[at(id)] || graph_.value(id).kind != Value::Kind::computed) return whole(id);
    return smaller(demand_[at(id)], support_[at(id)]);
  }

  ExtentKind kind_of(const Node& node) const {
    if (const auto* conv = op_as<Conv2DOp>(node))
      return is_valid(conv->window()) ? ExtentKind::convolution : ExtentKind::other;
    if (const auto* gradient = op_as<Conv2DInputGradientOp>(node)) {
      return is_valid(gradient->window()) ? ExtentKind::input_gradient : ExtentKind::other;
    }
    if (const auto* gradient = op_as<Conv2DKernelGradientOp>(node)) {
      return is_valid(gradient->window()) ? ExtentKind::kernel_gradient : ExtentKind::other;
    }
    if (const Pool2DAttributes* pool = pool_of(node)) {
      if (pool->padding != Padding::valid) return ExtentKind::other;
      return is_image(node.inputs[0]) && unpooled_size(node) ? ExtentKind::unpooling : ExtentKind::pooling;
    }
    if (is_pixel_sum(node)) return ExtentKind::pixel_sum;
    if (op_as<SliceOp>(node) != nullptr && is_image(node.inputs[0])) return ExtentKind::slice;
    if (const auto* pad = op_as<PadOp>(node); pad != nullptr && is_image(node.inputs[0]) && pad->value == 0) {
      return ExtentKind::padding;
    }
    return is_elementwise(node) ? ExtentKind::elementwise : ExtentKind::other;
  }

  static bool is_valid(const Conv2DAttributes& window) { return window.padding == Padding::valid; }

  static const Pool2DAttributes* pool_of(const Node& node) {
    if (const auto* op = op_as<MaxPool2DOp>(node)) return &op->window();
    if (const auto* op = op_as<AveragePool2DOp>(node)) return &op->window();
    if (const auto* op = op_as<MaxPool2DGradientOp>(node)) return &op->window();
    if (const auto* op = op_as<AveragePool2DGradientOp>(node)) return &op->window();
    return nullptr;
  }
  static bool unpooled_size(const Node& node) {
    return op_as<MaxPool2DGradientOp>(node) != nullptr || op_as<AveragePool2DGradientOp>(node) != nullptr;
  }

  static bool is_pixel_sum(const Node& node) {
    const auto* sum = op_as<ReduceOp>(node);
    return sum != nullptr && is_sum(*node.op) && sum->axes == std::vector<int>{0, 1, 2};
  }

  /// Inputs are images like the output, or the same for all pixels.
  bool is_elementwise(const Node& node) const {
    if (!node.op->is_elementwise() || node.op->is_view() || node.outputs.size() != 1 || !is_image(node.outputs[0])) {
      return false;
    }
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
      const Shape& shape = shape_of(id);
      return shape == shape_of(node.outputs[0]) || is_for_all_pixels(shape);
    });
  }
  static bool is_for_all_pixels(const Shape& shape) {
    return shape.rank() <= 1 || shape.slice(0, shape.rank() - 1).size() == 1;
  }

  Extents reach_of(const Node& node, const Extents& outputs) const {
    if (const auto* conv = op_as<Conv2DOp>(node)) {
      return reach(outputs, kernel_size(node.inputs[1]), conv->window().strides, conv->window().dilation_rate);
    }
    if (const auto* gradient = op_as<Conv2DInputGradientOp>(node)) {
      return reach(outputs, kernel_size(node.inputs[0]), gradient->window().strides, gradient->window().dilation_rate);
    }
    if (const auto* gradient = op_as<Conv2DKernelGradientOp>(node)) {
      return reach(outputs, {gradient->kernel_height(), gradient->kernel_width()}, gradient->window().strides,
                   gradient->window().dilation_rate);
    }
    if (const auto* slice = op_as<SliceOp>(node)) return span_of(slice->begin, slice->steps, outputs);
    if (const auto* pad = op_as<PadOp>(node)) return span_of(pad->before, pad->steps, outputs);
    const Pool2DAttributes& pool = *pool_of(node);
    return reach(outputs, pool.pool_size, pool.strides);
  }

  /// The extents of elements at the positions begin, begin + step, ….
  static Extents span_of(const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& steps,
                         const Extents& elements) {
    Extents result;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if (elements.length[axis] == 0) continue;
      result.length[axis] = begin[axis + 1] + (elements.length[axis] - 1) * steps[axis + 1] + 1;
    }
    return result;
  }

  std::array<std::int64_t, 2> kernel_size(ValueId kernel) const { return {shape_of(kernel)[0], shape_of(kernel)[1]}; }

  std::array<std::int64_t, 2> strides_of(const Node& node) const {
    if (const auto* gradient = op_as<Conv2DInputGradientOp>(node)) return gradient->window().strides;
    return pool_of(node)->strides;
  }

  /// Finds the extents outside of which a value is zero. Only gradients have such zeros.
  void find_zeros() {
    support_.clear();
    for (std::size_t i = 0; i < graph_.values().size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      support_.push_back(is_image(id) ? whole(id) : Extents());
    }
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      const ValueId output = node.outputs[0];
      if (is_whole_[at(output)]) continue;
      if (kinds_[i] == ExtentKind::unpooling) {
        support_[at(output)] = smaller(whole(output), reach_of(node, support_[at(node.inputs[0])]));
      } else if (kinds_[i] == ExtentKind::input_gradient) {
        support_[at(output)] = smaller(whole(output), reach_of(node, support_[at(node.inputs[1])]));
      } else if (kinds_[i] == ExtentKind::padding) {
        support_[at(output)] = smaller(whole(output), reach_of(node, support_[at(node.inputs[0])]));
      } else if (is_relu_gradient(*node.op) && is_image(output)) {
        support_[at(output)] = support_[at(node.inputs[0])];
      }
    }
  }

  void find_demand() {
    demand_.assign(graph_.values().size(), Extents());
    for (std::size_t i = 0; i < graph_.values().size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      if (is_image(id) && is_whole_[i]) demand_[i] = whole(id);
    }
    for (std::size_t i = graph_.nodes().size(); i-- > 0;) {
      const Node& node = graph_.nodes()[i];
      for (std::size_t input = 0; input < node.inputs.size(); ++input) {
        const ValueId id = node.inputs[input];
        if (is_image(id)) demand_[at(id)] = larger(demand_[at(id)], demand_of(node, kinds_[i], input));
      }
    }
  }

  /// The extents of one of its inputs that a node reads.
  Extents demand_of(const Node& node, ExtentKind kind, std::size_t input) const {
    const ValueId id = node.inputs[input];
    switch (kind) {
      case ExtentKind::convolution:
        return input == 0 ? reach_of(node, extents(node.outputs[0])) : whole(id);
      case ExtentKind::pooling: {
        Extents outputs = extents(node.outputs[0]);
        if (node.outputs.size() > 1) outputs = larger(outputs, extents(node.outputs[1]));
        return reach_of(node, outputs);
      }
      case ExtentKind::unpooling:
        return smaller(whole(id), beginning(extents(node.outputs[0]), strides_of(node)));
      case ExtentKind::input_gradient:
        return input == 1 ? smaller(whole(id), beginning(extents(node.outputs[0]), strides_of(node))) : whole(id);
      case ExtentKind::kernel_gradient:
        // The part of the images under the windows whose gradient is not zero.
        return input == 0 ? smaller(whole(id), reach_of(node, extents(node.inputs[1]))) : whole(id);
      case ExtentKind::slice:
        return reach_of(node, extents(node.outputs[0]));
      case ExtentKind::elementwise:
        return shape_of(id) == shape_of(node.outputs[0]) ? extents(node.outputs[0]) : whole(id);
      default:
        return whole(id);
    }
  }

  /// Whether the extents of a node's inputs and outputs fit each other.
  bool fits(const Node& node, ExtentKind kind) const {
    switch (kind) {
      case ExtentKind::convolution:
        // A larger input is cropped.
        return larger(extents(node.inputs[0]), reach_of(node, extents(node.outputs[0]))) == extents(node.inputs[0]);
      case ExtentKind::pooling:
        return (node.outputs.size() == 1 || extents(node.outputs[0]) == extents(node.outputs[1])) &&
               count_of(node, extents(node.inputs[0])) == extents(node.outputs[0]);
      case ExtentKind::unpooling:
        return (node.inputs.size() == 1 || extents(node.inputs[0]) == extents(node.inputs[1])) &&
               count_of(node, extents(node.outputs[0])) == extents(node.inputs[0]);
      case ExtentKind::input_gradient:
        // Missing rows and columns are padded.
        return larger(extents(node.outputs[0]), reach_of(node, extents(node.inputs[1]))) == extents(node.outputs[0]);
      case ExtentKind::kernel_gradient:
        return larger(extents(node.inputs[0]), reach_of(node, extents(node.inputs[1]))) == extents(node.inputs[0]);
      case ExtentKind::elementwise:
        return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
          return shape_of(id) != shape_of(node.outputs[0]) || extents(id) == extents(node.outputs[0]);
        });
      case ExtentKind::slice:
        return larger(extents(node.inputs[0]), reach_of(node, extents(node.outputs[0]))) == extents(node.inputs[0]);
      case ExtentKind::padding:
        // Zeros may be omitted, the padded elements may not.
        return larger(extents(node.outputs[0]), reach_of(node, extents(node.inputs[0]))) == extents(node.outputs[0]);
      case ExtentKind::pixel_sum:
        // It reads everything: the omitted elements are zero.
        return true;
      default:
        return std::all_of(node.inputs.begin(), node.inputs.end(),
                           [&](ValueId id) { return !is_image(id) || extents(id) == whole(id); });
    }
  }

  /// The number of windows in images of these extents.
  Extents count_of(const Node& node, const Extents& images) const {
    const Extents one = reach_of(node, {{1, 1}});
    const std::array<std::int64_t, 2> strides = strides_of(node);
    Extents result;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const std::int64_t room = images.length[axis] - one.length[axis];
      result.length[axis] = room < 0 ? 0 : room / strides[axis] + 1;
    }
    return result;
  }

  bool pin_misfits() {
    bool changed = false;
    const auto pin = [&](ValueId id) {
      if (!is_image(id) || is_whole_[at(id)]) return;
      changed = changed || !(extents(id) == whole(id));
      is_whole_[at(id)] = true;
    };
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      if (fits(node, kinds_[i])) continue;
      for (const ValueId id : node.inputs) pin(id);
      for (const ValueId id : node.outputs) pin(id);
    }
    return changed;
  }

  void rewrite(const Node& node, ExtentKind kind) {
    std::vector<ValueId> inputs = rewriter_.mapped(node.inputs);
    OpPtr op = node.op;
    const Extents out = is_image(node.outputs[0]) ? extents(node.outputs[0]) : Extents();
    if (kind == ExtentKind::convolution) {
      inputs[0] = cut(inputs[0], reach_of(node, out));
    } else if (kind == ExtentKind::kernel_gradient) {
      inputs[0] = cut(inputs[0], reach_of(node, extents(node.inputs[1])));
    } else if (kind == ExtentKind::input_gradient) {
      return replace_input_gradient(node, std::move(inputs), out);
    } else if (const auto* unpooling = op_as<MaxPool2DGradientOp>(node); unpooling && kind == ExtentKind::unpooling) {
      op = std::make_shared<const MaxPool2DGradientOp>(out.length[0], out.length[1], unpooling->window());
    } else if (const auto* spreading = op_as<AveragePool2DGradientOp>(node);
               spreading && kind == ExtentKind::unpooling) {
      op = std::make_shared<const AveragePool2DGradientOp>(out.length[0], out.length[1], spreading->window());
    }
    if (const auto* pad = op_as<PadOp>(node); pad != nullptr && kind == ExtentKind::padding) {
      std::vector<std::int64_t> after = missing(out, reach_of(node, extents(node.inputs[0])));
      after.front() = pad->after.front();
      after.back() = pad->after.back();
      op = std::make_shared<const PadOp>(pad->before, after, pad->steps, 0.0);
    } else if (const auto* slice = op_as<SliceOp>(node); slice != nullptr && kind == ExtentKind::slice) {
      std::vector<std::int64_t> sizes = slice->sizes;
      for (std::size_t axis = 0; axis < 2; ++axis) sizes[axis + 1] = out.length[axis];
      op = std::make_shared<const SliceOp>(slice->begin, sizes, slice->steps);
    }
    if (kind == ExtentKind::other) return rewriter_.keep(node);
    const std::vector<TensorSpec> specs = op->infer(rewriter_.target().specs_of(inputs));
    const NodeId id = rewriter_.target().add_node(op, std::move(inputs), specs);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      rewriter_.map(node.outputs[i], rewriter_.target().node(id).outputs[i]);
    }
  }

  /// Computes the nonzero part of the derivative, and appends zeros.
  void replace_input_gradient(const Node& node, std::vector<ValueId> inputs, const Extents& out) {
    const bool fits_exactly = count_of(node, out) == extents(node.inputs[1]);
    const Extents computed = fits_exactly ? out : reach_of(node, extents(node.inputs[1]));
    const OpPtr op = std::make_shared<const Conv2DInputGradientOp>(computed.length[0], computed.length[1],
                                                                   op_as<Conv2DInputGradientOp>(node)->window());
    ValueId result = add(op, std::move(inputs));
    if (!fits_exactly) {
      result = add(std::make_shared<const PadOp>(std::vector<std::int64_t>(4, 0), missing(out, computed),
                                                 std::vector<std::int64_t>(4, 1), 0.0),
                   {result});
    }
    rewriter_.map(node.outputs[0], result);
  }

  /// The padding after images that extends them to `wanted`.
  static std::vector<std::int64_t> missing(const Extents& wanted, const Extents& present) {
    return {0, wanted.length[0] - present.length[0], wanted.length[1] - present.length[1], 0};
  }

  /// Adds a node and returns its first output.
  ValueId add(const OpPtr& op, std::vector<ValueId> inputs) {
    const std::vector<TensorSpec> specs = op->infer(rewriter_.target().specs_of(inputs));
    return rewriter_.target().node(rewriter_.target().add_node(op, std::move(inputs), specs)).outputs[0];
  }

  /// Crops a value of the new graph to its first rows and columns.
  ValueId cut(ValueId id, const Extents& wanted) {
    const TensorSpec spec = rewriter_.target().value(id).spec;
    if (Extents::of(spec.shape) == wanted) return id;
    const auto [it, is_new] = cuts_.try_emplace({id, wanted.length[0], wanted.length[1]}, -1);
    if (is_new) {
      const std::vector<std::int64_t> sizes = {spec.shape[0], wanted.length[0], wanted.length[1], spec.shape[3]};
      it->second =
          add(std::make_shared<const SliceOp>(std::vector<std::int64_t>(4, 0), sizes, std::vector<std::int64_t>(4, 1)),
              {id});
    }
    return it->second;
  }

  const Graph& graph_;
  Rewriter rewriter_;
  std::vector<ExtentKind> kinds_;
  std::vector<bool> is_whole_;
  std::vector<Extents> support_;
  std::vector<Extents> demand_;
  std::map<std::tuple<ValueId, std::int64_t, std::int64_t>, ValueId> cuts_;
};

}  // namespace

Graph shrink_to_demanded_extents(const Graph& graph) { return Shrinker(graph).run(); }

}  // namespace rhyton::graph
