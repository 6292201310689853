#include <rhyton/framework/graph/batch_analysis.h>

#include <algorithm>

namespace rhyton::graph {
namespace {

/// What the rules of a node's outputs make of it.
class NodeAnalysis {
 public:
  NodeAnalysis(const Graph& graph, const Node& node, BatchAnalysis& analysis)
      : graph_(graph), node_(node), analysis_(analysis) {
    for (const ValueId id : node.inputs) axes_.push_back(analysis.axis[static_cast<std::size_t>(id)]);
  }

  void run() {
    const bool carries = std::any_of(axes_.begin(), axes_.end(), [](int axis) { return axis >= 0; });
    if (!carries || !rows_are_alike()) return;
    const std::vector<TensorSpec> inputs = graph_.specs_of(node_.inputs);
    std::vector<BatchRule> rules;
    for (std::size_t i = 0; i < node_.outputs.size(); ++i) {
      rules.push_back(node_.op->output_batch_rule(i, inputs, axes_));
      if (rules[i].effect == BatchEffect::sums) continue;
      if (!keeps_samples(rules[i], spec_of(i).shape)) rules[i] = BatchRule::mixes();
      analysis_.axis[at(i)] = rules[i].output_axis;
    }
    // Only slices of the first axis are contiguous; a batch on another axis is not sliced.
    const bool all_first = std::all_of(axes_.begin(), axes_.end(), [](int axis) { return axis <= 0; });
    if (analysis_.batch <= 0 || !all_first || !std::all_of(rules.begin(), rules.end(), &can_be_sliced)) return;
    analysis_.sliced[static_cast<std::size_t>(graph_.value(node_.outputs[0]).producer)] = true;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      analysis_.execution[at(i)] = rules[i].effect == BatchEffect::sums ? Execution::sums : Execution::maps;
    }
  }

 private:
  std::size_t at(std::size_t output) const { return static_cast<std::size_t>(node_.outputs[output]); }
  const TensorSpec& spec_of(std::size_t output) const { return graph_.value(node_.outputs[output]).spec; }

  static bool can_be_sliced(const BatchRule& rule) {
    return rule.effect == BatchEffect::sums || (rule.effect == BatchEffect::maps && rule.output_axis == 0);
  }

  /// Whether samples have the same number of rows in all inputs.
  bool rows_are_alike() const {
    std::int64_t rows = -1;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i] < 0) continue;
      const std::int64_t own = graph_.value(node_.inputs[i]).spec.shape[axes_[i]];
      if (rows >= 0 && own != rows) return false;
      rows = own;
    }
    return true;
  }

  bool keeps_samples(const BatchRule& rule, const Shape& shape) const {
    if (!rule.regroups_rows) return true;
    return node_.op->is_view() && analysis_.batch > 0 && shape[0] > 0 && shape[0] % analysis_.batch == 0;
  }

  const Graph& graph_;
  const Node& node_;
  BatchAnalysis& analysis_;
  std::vector<int> axes_;
};

}  // namespace

bool BatchAnalysis::sums_any(const Node& node) const {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) { return sums(output); });
}

void BatchAnalysis::run_whole(const Graph& graph, NodeId node) {
  sliced[static_cast<std::size_t>(node)] = false;
  for (const ValueId output : graph.node(node).outputs) {
    execution[static_cast<std::size_t>(output)] = Execution::whole;
  }
}

BatchAnalysis analyze_batch(const Graph& graph) {
  BatchAnalysis analysis = without_batch(graph);
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    if (value.batch_axis < 0) continue;
    analysis.axis[static_cast<std::size_t>(id)] = value.batch_axis;
    const std::int64_t samples = value.spec.shape.at(value.batch_axis);
    if (analysis.batch != 0 && samples != analysis.batch) {
      throw ValueError(
          "The inputs of a graph must carry batches of the same "
          "size. Received " +
          std::to_string(analysis.batch) + " and " + std::to_string(samples) + ".");
    }
    analysis.batch = samples;
  }
  for (std::size_t i = 0; i < graph.values().size() && analysis.batch > 0; ++i) {
    const Value& value = graph.values()[i];
    const bool carries = value.kind == Value::Kind::variable && value.variable.carries_batch();
    if (carries && value.spec.shape[0] == analysis.batch) analysis.axis[i] = 0;
  }
  for (const Node& node : graph.nodes()) NodeAnalysis(graph, node, analysis).run();
  return analysis;
}

BatchAnalysis without_batch(const Graph& graph) {
  return {.batch = 0,
          .axis = std::vector<int>(graph.values().size(), -1),
          .execution = std::vector<Execution>(graph.values().size(), Execution::whole),
          .sliced = std::vector<bool>(graph.nodes().size(), false)};
}

}  // namespace rhyton::graph
