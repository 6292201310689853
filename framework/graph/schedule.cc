#include <rhyton/framework/graph/schedule.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace rhyton::graph {
namespace {

// Levels: even ones hold sliced nodes, odd ones whole nodes. Values that exist before the run stand at level -2, so
// that what depends on nothing else may run at level -1, ahead of the first slices.
constexpr int before_all = -2;

/// When a node runs: the stage, and the level in it.
struct Place {
  int stage = 0;
  int level = before_all;

  friend bool operator==(const Place&, const Place&) = default;
  friend bool operator<(const Place& a, const Place& b) {
    return std::tie(a.stage, a.level) < std::tie(b.stage, b.level);
  }
};

int level_of(const Graph& graph, const BatchAnalysis& batch, const std::vector<Place>& places, const Node& node,
             Execution execution, int stage) {
  const bool sliced = execution != Execution::whole;
  int level = sliced ? 0 : -1;
  for (const ValueId id : node.inputs) {
    const NodeId producer = graph.value(id).producer;
    // What an earlier stage has computed is there as a variable is.
    if (producer < 0 || places[static_cast<std::size_t>(producer)].stage != stage) continue;
    const int input_level = places[static_cast<std::size_t>(producer)].level;
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

void make_waves(const Graph& graph, Phase& phase, const std::vector<Place>& places, const Place& place,
                std::vector<int>& wave_of) {
  for (const NodeId id : phase.nodes) {
    int wave = 0;
    for (const ValueId input : graph.node(id).inputs) {
      // Nodes that are not run hand on the wave of what they look at.
      NodeId producer = graph.value(input).producer;
      while (producer >= 0 && graph.node(producer).op->is_view()) {
        producer = graph.value(graph.node(producer).inputs[0]).producer;
      }
      if (producer >= 0 && places[static_cast<std::size_t>(producer)] == place) {
        wave = std::max(wave, wave_of[static_cast<std::size_t>(producer)] + 1);
      }
    }
    wave_of[static_cast<std::size_t>(id)] = wave;
    if (static_cast<std::size_t>(wave) >= phase.waves.size()) phase.waves.resize(static_cast<std::size_t>(wave) + 1);
    phase.waves[static_cast<std::size_t>(wave)].push_back(id);
  }
}

std::vector<bool> nodes_read_by_others(const Graph& graph) {
  std::vector<bool> is_read(graph.nodes().size(), false);
  for (const Node& node : graph.nodes()) {
    for (const ValueId input : node.inputs) {
      const NodeId producer = graph.value(input).producer;
      if (producer >= 0) is_read[static_cast<std::size_t>(producer)] = true;
    }
  }
  return is_read;
}

}  // namespace

Schedule make_schedule(const Graph& graph, const BatchAnalysis& batch, const std::vector<int>& stages) {
  const std::size_t count = graph.nodes().size();
  std::vector<Place> places(count);
  std::map<Place, Phase> by_place;
  for (std::size_t i = 0; i < count; ++i) {
    const Node& node = graph.nodes()[i];
    const Execution execution = batch.execution[i];
    places[i].stage = stages.empty() ? 0 : stages[i];
    places[i].level = level_of(graph, batch, places, node, execution, places[i].stage);
    Phase& phase = by_place[places[i]];
    phase.sliced = execution != Execution::whole;
    if (!node.op->is_view()) phase.nodes.push_back(static_cast<NodeId>(i));
  }

  Schedule schedule;
  schedule.phase.assign(count, -1);
  schedule.time.assign(count, 0);
  std::vector<int> wave_of(count, 0);
  for (auto& [place, phase] : by_place) {
    if (phase.nodes.empty()) continue;
    phase.first_time = schedule.end_time;
    if (!phase.sliced) make_waves(graph, phase, places, place, wave_of);
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
  const auto run = [&](NodeId id) {
    schedule.phase[static_cast<std::size_t>(id)] = 0;
    schedule.time[static_cast<std::size_t>(id)] = static_cast<int>(phase.nodes.size());
    phase.nodes.push_back(id);
    phase.waves.push_back({id});
  };
  const std::vector<bool> is_read = nodes_read_by_others(graph);
  std::map<std::pair<std::string_view, std::string>, std::vector<NodeId>> last;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Op& op = *graph.nodes()[i].op;
    if (op.is_view()) {
      schedule.time[i] = static_cast<int>(phase.nodes.size());
    } else if (is_read[i]) {
      run(id);
    } else {
      last[{op.name(), op.attributes()}].push_back(id);
    }
  }
  for (const auto& [call, nodes] : last) std::for_each(nodes.begin(), nodes.end(), run);
  schedule.end_time = static_cast<int>(phase.nodes.size());
  if (!phase.nodes.empty()) schedule.phases.push_back(std::move(phase));
  return schedule;
}

}  // namespace rhyton::graph
