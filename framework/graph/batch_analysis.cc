#include <rhyton/framework/graph/batch_analysis.h>

#include <algorithm>

namespace rhyton::graph {
namespace {

bool all_carry_first(const std::vector<int>& axes) {
  return std::all_of(axes.begin(), axes.end(), [](int axis) { return axis <= 0; });
}

}  // namespace

BatchAnalysis analyze_batch(const Graph& graph) {
  BatchAnalysis analysis;
  analysis.axis.assign(graph.values().size(), -1);
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    if (value.batch_axis < 0) continue;
    analysis.axis[static_cast<std::size_t>(id)] = value.batch_axis;
    const std::int64_t samples = value.spec.shape.at(value.batch_axis);
    if (analysis.batch != 0 && samples != analysis.batch) {
      throw ValueError("The inputs of a graph must carry batches of the same size. Received " +
                       std::to_string(analysis.batch) + " and " + std::to_string(samples) + ".");
    }
    analysis.batch = samples;
  }
  for (const Node& node : graph.nodes()) {
    std::vector<int> axes;
    for (const ValueId id : node.inputs) axes.push_back(analysis.axis[static_cast<std::size_t>(id)]);
    const bool carries = std::any_of(axes.begin(), axes.end(), [](int axis) { return axis >= 0; });
    Execution execution = Execution::whole;
    if (carries) {
      const BatchRule rule = node.op->batch_rule(graph.specs_of(node.inputs), axes);
      if (rule.effect != BatchEffect::sums) {
        for (const ValueId id : node.outputs) analysis.axis[static_cast<std::size_t>(id)] = rule.output_axis;
      }
      // Only slices of the first axis are contiguous; a batch on another axis is not sliced.
      if (analysis.batch > 0 && all_carry_first(axes)) {
        if (rule.effect == BatchEffect::sums) execution = Execution::sums;
        if (rule.effect == BatchEffect::maps && rule.output_axis == 0) execution = Execution::maps;
      }
    }
    analysis.execution.push_back(execution);
  }
  return analysis;
}

BatchAnalysis without_batch(const Graph& graph) {
  return {.batch = 0,
          .axis = std::vector<int>(graph.values().size(), -1),
          .execution = std::vector<Execution>(graph.nodes().size(), Execution::whole)};
}

}  // namespace rhyton::graph
