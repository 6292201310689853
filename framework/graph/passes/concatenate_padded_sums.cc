#include <rhyton/framework/graph/passes/concatenate_padded_sums.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/graph/passes/sum_terms.h>
#include <rhyton/framework/ops/op_kind.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::graph {
namespace {

class PaddedSums {
 public:
  explicit PaddedSums(const Graph& graph) : graph_(graph), readers_(graph), rewriter_(graph) {}

  Graph run() {
    for (const Node& node : graph_.nodes()) {
      if (!is_add(*node.op) || is_part_of_a_sum(graph_, readers_, node) || !concatenate(node)) rewriter_.keep(node);
    }
    return rewriter_.finish();
  }

 private:
  /// One term: which part of the result it is.
  struct Part {
    ValueId value = -1;
    int axis = -1;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  bool concatenate(const Node& sum) {
    std::vector<Part> parts;
    if (!collect(sum, parts)) return false;
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.begin < b.begin; });
    const int axis = parts[0].axis;
    std::int64_t end = 0;
    for (const Part& part : parts) {
      if (part.axis != axis || part.begin != end) return false;
      end = part.end;
    }
    const TensorSpec& spec = graph_.value(sum.outputs[0]).spec;
    if (end != spec.shape[axis]) return false;
    std::vector<ValueId> values;
    for (const Part& part : parts) values.push_back(part.value);
    const NodeId joined =
        rewriter_.target().add_node(std::make_shared<const ConcatenateOp>(axis), rewriter_.mapped(values), {spec});
    rewriter_.map(sum.outputs[0], rewriter_.target().node(joined).outputs[0]);
    return true;
  }

  /// The terms of the sum; false if one is not padded along one axis.
  bool collect(const Node& sum, std::vector<Part>& parts) const {
    for (const ValueId value : terms_of_sum(graph_, readers_, sum)) {
      const NodeId producer = graph_.value(value).producer;
      const auto* const pad = producer >= 0 ? op_as<PadOp>(graph_.node(producer)) : nullptr;
      if (pad == nullptr) return false;
      parts.push_back(part_of(*pad, graph_.node(producer)));
      if (parts.back().axis < 0) return false;
    }
    return !parts.empty();
  }

  /// Its axis is -1 unless zeros are added along one axis alone.
  Part part_of(const PadOp& pad, const Node& node) const {
    Part part{.value = node.inputs[0]};
    if (pad.value != 0) return part;
    const Shape& shape = graph_.value(node.inputs[0]).spec.shape;
    for (std::size_t i = 0; i < pad.before.size(); ++i) {
      if (pad.steps[i] != 1) return {};
      if (pad.before[i] == 0 && pad.after[i] == 0) continue;
      if (part.axis >= 0 || pad.before[i] < 0 || pad.after[i] < 0) return {};
      part.axis = static_cast<int>(i);
      part.begin = pad.before[i];
      part.end = part.begin + shape[part.axis];
    }
    return part;
  }

  const Graph& graph_;
  const Readers readers_;
  Rewriter rewriter_;
};

}  // namespace

Graph concatenate_padded_sums(const Graph& graph) { return PaddedSums(graph).run(); }

}  // namespace rhyton::graph
