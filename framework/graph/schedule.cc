#include <rhyton/framework/graph/schedule.h>

#include <algorithm>
#include <map>

namespace rhyton::graph {
namespace {

// Levels: even ones hold sliced nodes, odd ones whole nodes. Values that exist before the run stand at level -2, so
// that what depends on nothing else may run at level -1, ahead of the first slices.
constexpr int before_all = -2;

int level_of(const Graph& graph, const BatchAnalysis& batch, const std::vector<int>& levels, const Node& node,
             Execution execution) {
  const bool sliced = execution != Execution::whole;
  int level = sliced ? 0 : -1;
  for (const ValueId id : node.inputs) {
    const NodeId producer = graph.value(id).producer;
    if (producer < 0) continue;
    const int input_level = levels[static_cast<std::size_t>(producer)];
    const Execution input = batch.execution[static_cast<std::size_t>(producer)];
    int earliest = input_level;
    if (sliced) {
      earliest = input == Execution::maps ? input_level : input == Execution::sums ? input_level + 2 : input_level + 1;
    } else if (input != Execution::whole) {
      earliest = input_level + 1;
    }
    level = std::max(level, earliest);
  }
  return level;
}

void make_waves(const Graph& graph, Phase& phase, const std::vector<int>& levels, int level,
                std::vector<int>& wave_of) {
  for (const NodeId id : phase.nodes) {
    int wave = 0;
    for (const ValueId input : graph.node(id).inputs) {
      // Nodes that are not run hand on the wave of what they look at.
      NodeId producer = graph.value(input).producer;
      while (producer >= 0 && graph.node(producer).op->is_view()) {
        producer = graph.value(graph.node(producer).inputs[0]).producer;
      }
      if (producer >= 0 && levels[static_cast<std::size_t>(producer)] == level) {
        wave = std::max(wave, wave_of[static_cast<std::size_t>(producer)] + 1);
      }
    }
    wave_of[static_cast<std::size_t>(id)] = wave;
    if (static_cast<std::size_t>(wave) >= phase.waves.size()) phase.waves.resize(static_cast<std::size_t>(wave) + 1);
    phase.waves[static_cast<std::size_t>(wave)].push_back(id);
  }
}

}  // namespace

Schedule make_schedule(const Graph& graph, const BatchAnalysis& batch) {
  const std::size_t count = graph.nodes().size();
  std::vector<int> levels(count, before_all);
  std::map<int, Phase> by_level;
  for (std::size_t i = 0; i < count; ++i) {
    const Node& node = graph.nodes()[i];
    const Execution execution = batch.execution[i];
    levels[i] = level_of(graph, batch, levels, node, execution);
    Phase& phase = by_level[levels[i]];
    phase.sliced = execution != Execution::whole;
    if (!node.op->is_view()) phase.nodes.push_back(static_cast<NodeId>(i));
  }

  Schedule schedule;
  schedule.phase.assign(count, -1);
  schedule.time.assign(count, 0);
  std::vector<int> wave_of(count, 0);
  for (auto& [level, phase] : by_level) {
    if (phase.nodes.empty()) continue;
    phase.first_time = schedule.end_time;
    if (!phase.sliced) make_waves(graph, phase, levels, level, wave_of);
    for (const NodeId id : phase.nodes) {
      const auto i = static_cast<std::size_t>(id);
      schedule.phase[i] = static_cast<int>(schedule.phases.size());
      schedule.time[i] = phase.first_time + (phase.sliced ? 0 : wave_of[i]);
    }
    schedule.end_time += phase.sliced ? 1 : static_cast<int>(phase.waves.size());
    schedule.phases.push_back(std::move(phase));
  }
  return schedule;
}

Schedule make_sequential_schedule(const Graph& graph) {
  Schedule schedule;
  schedule.phase.assign(graph.nodes().size(), -1);
  schedule.time.assign(graph.nodes().size(), 0);
  Phase phase;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    // What only looks at a tensor in another shape stands where that tensor does.
    schedule.time[i] = static_cast<int>(phase.nodes.size());
    if (graph.nodes()[i].op->is_view()) continue;
    schedule.phase[i] = 0;
    phase.nodes.push_back(static_cast<NodeId>(i));
    phase.waves.push_back({static_cast<NodeId>(i)});
  }
  schedule.end_time = static_cast<int>(phase.nodes.size());
  if (!phase.nodes.empty()) schedule.phases.push_back(std::move(phase));
  return schedule;
}

}  // namespace rhyton::graph
