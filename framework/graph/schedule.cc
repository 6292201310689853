#include <rhyton/framework/graph/schedule.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <rhyton/framework/ops/optimizer_updates.h>

namespace rhyton::graph {
namespace {

// Levels: even ones contain sliced nodes, odd ones whole nodes. Values that exist before the run are at level -2, so
// that nodes that depend on nothing else may run at level -1, before the first slices.
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

/// `first_level`: of the sliced nodes.
int level_of(const Graph& graph, const BatchAnalysis& batch, const std::vector<Place>& places, const Node& node,
             bool sliced, int stage, int first_level) {
  int level = sliced ? first_level : -1;
  for (const ValueId id : node.inputs) {
    const NodeId producer = graph.value(id).producer;
    // Results of earlier stages are available, like variables.
    if (producer < 0 || places[static_cast<std::size_t>(producer)].stage != stage) continue;
    const int input_level = places[static_cast<std::size_t>(producer)].level;
    const Execution input = batch.execution_of(id);
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

/// The nodes that run before all other slices: sums over the batch that depend on inputs of the graph alone, such as
/// the number of positions that a mask selects, if slices of other nodes depend on them; and what those sums depend on.
/// Otherwise all that the other slices compute before they need such a sum would be kept in memory until it is there.
std::vector<bool> find_early_nodes(const Graph& graph, const BatchAnalysis& batch) {
  const std::size_t count = graph.nodes().size();
  const auto producer_of = [&](ValueId id) { return graph.value(id).producer; };
  std::vector<bool> depends_on_inputs_alone(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    const Node& node = graph.nodes()[i];
    depends_on_inputs_alone[i] =
        node.op->is_deterministic() && std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
          if (graph.value(id).kind == Value::Kind::variable) return false;
          return producer_of(id) < 0 || depends_on_inputs_alone[static_cast<std::size_t>(producer_of(id))];
        });
  }
  // From the end: what other slices depend on, and of that, what early sums depend on.
  std::vector<bool> is_awaited(count, false);
  std::vector<bool> is_early(count, false);
  for (std::size_t i = count; i-- > 0;) {
    const Node& node = graph.nodes()[i];
    const bool sliced = batch.is_sliced(static_cast<NodeId>(i));
    if (depends_on_inputs_alone[i] && is_awaited[i] && batch.sums_any(node)) is_early[i] = true;
    for (const ValueId input : node.inputs) {
      if (producer_of(input) < 0) continue;
      const auto producer = static_cast<std::size_t>(producer_of(input));
      if (is_awaited[i] || (sliced && !depends_on_inputs_alone[i])) is_awaited[producer] = true;
      if (is_early[i]) is_early[producer] = true;
    }
  }
  return is_early;
}

void make_waves(const Graph& graph, Phase& phase, const std::vector<Place>& places, const Place& place,
                std::vector<int>& wave_of) {
  for (const NodeId id : phase.nodes) {
    int wave = 0;
    for (const ValueId input : graph.node(id).inputs) {
      // Nodes that are not run pass on the wave of their input.
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

std::size_t bytes_of(const Graph& graph, const std::vector<ValueId>& values) {
  std::size_t bytes = 0;
  for (const ValueId value : values) bytes += graph.value(value).spec.bytes();
  return bytes;
}

/// Moves sliced nodes whose result is larger than their one input, such as casts of images to float32, to the level of
/// their first reader: the value kept in memory between levels is then the smaller one.
void move_enlarging_nodes(const Graph& graph, const BatchAnalysis& batch, std::vector<Place>& places) {
  std::vector<std::optional<Place>> first_reader(places.size());
  for (std::size_t i = places.size(); i-- > 0;) {
    const Node& node = graph.nodes()[i];
    const bool enlarges = node.inputs.size() == 1 && bytes_of(graph, node.outputs) > bytes_of(graph, node.inputs);
    const bool maps = batch.is_sliced(static_cast<NodeId>(i)) && !batch.sums_any(node);
    if (enlarges && maps && !node.op->is_view() && first_reader[i] && first_reader[i]->stage == places[i].stage) {
      // A whole node is preceded by the sliced level before it.
      Place place = *first_reader[i];
      if (place.level % 2 != 0) --place.level;
      if (places[i] < place) places[i] = place;
    }
    for (const ValueId input : node.inputs) {
      const NodeId producer = graph.value(input).producer;
      if (producer < 0) continue;
      std::optional<Place>& first = first_reader[static_cast<std::size_t>(producer)];
      if (!first || places[i] < *first) first = places[i];
    }
  }
}

/// The nodes that run at the two ends of a sequential schedule, before or after the graph's order, and their order
/// there.
class Ends {
 public:
  explicit Ends(const Graph& graph) : graph_(graph), first_(graph.nodes().size(), 0), last_(graph.nodes().size(), 0) {
    for (std::size_t i = 0; i < first_.size(); ++i) first_[i] = first_level(graph.nodes()[i]);
    std::vector<int> level_of_readers(first_.size(), no_reader);
    for (std::size_t i = last_.size(); i-- > 0;) {
      const Node& node = graph.nodes()[i];
      last_[i] = last_level(node, level_of_readers[i]);
      for (const ValueId input : node.inputs) {
        const NodeId producer = graph.value(input).producer;
        if (producer < 0) continue;
        int& of_producer = level_of_readers[static_cast<std::size_t>(producer)];
        of_producer = last_[i] == 0 || of_producer < 0 ? in_the_middle : std::max(of_producer, last_[i]);
      }
    }
  }

  /// From 1 on: level 1 runs first. 0: not among the first.
  int first(NodeId id) const { return first_[static_cast<std::size_t>(id)]; }
  /// From 1 on: level 1 runs last, level 2 before it. 0: not among the last.
  int last(NodeId id) const { return last_[static_cast<std::size_t>(id)]; }

 private:
  // The level of a node's readers: none, one that is not among the last, or the highest level of them all.
  static constexpr int no_reader = 0;
  static constexpr int in_the_middle = -1;

  // Nodes with one input at both ends: no other value then stays in memory longer. At the end also small ones, and
  // updates with readers, such as those of moving averages, besides nodes without readers.
  static constexpr std::size_t small_bytes = 1 << 14;

  int first_level(const Node& node) const {
    if (node.op->is_view() || node.inputs.size() != 1) return 0;
    if (bytes_of(graph_, node.outputs) > bytes_of(graph_, node.inputs)) return 0;
    // The square of a weight for a penalty, for example, would take as much memory as the weight until it is summed.
    if (node.op->may_overwrite(0, 0) && graph_.value(node.outputs[0]).spec == graph_.value(node.inputs[0]).spec)
      return 0;
    const Value& input = graph_.value(node.inputs[0]);
    if (input.kind == Value::Kind::variable) return 1;
    const int before = input.producer < 0 ? 0 : first_[static_cast<std::size_t>(input.producer)];
    return before == 0 ? 0 : before + 1;
  }

  int last_level(const Node& node, int level_of_readers) const {
    if (node.op->is_view()) return 0;
    if (level_of_readers == no_reader) return 1;
    if (level_of_readers == in_the_middle) return 0;
    const std::size_t inputs = bytes_of(graph_, node.inputs);
    const bool is_update = dynamic_cast<const OptimizerUpdateOp*>(node.op.get()) != nullptr;
    if (is_update || (node.op->is_elementwise() && inputs <= small_bytes)) return level_of_readers + 1;
    if (node.inputs.size() != 1) return 0;
    return bytes_of(graph_, node.outputs) < inputs ? 0 : level_of_readers + 1;
  }

  const Graph& graph_;
  std::vector<int> first_;
  std::vector<int> last_;
};

}  // namespace

Schedule make_schedule(const Graph& graph, const BatchAnalysis& batch, const std::vector<int>& stages) {
  const std::size_t count = graph.nodes().size();
  std::vector<Place> places(count);
  std::map<Place, Phase> by_place;
  const std::vector<bool> is_early = find_early_nodes(graph, batch);
  // Per stage: the level of the slices that do not run early.
  std::map<int, int> first_levels;
  for (const bool early : {true, false}) {
    for (std::size_t i = 0; i < count; ++i) {
      if (is_early[i] != early) continue;
      const Node& node = graph.nodes()[i];
      Place& place = places[i];
      place.stage = stages.empty() ? 0 : stages[i];
      int& first_level = first_levels[place.stage];
      const bool sliced = batch.is_sliced(static_cast<NodeId>(i));
      place.level = level_of(graph, batch, places, node, sliced, place.stage, early ? 0 : first_level);
      if (early && sliced) first_level = std::max(first_level, place.level + 2);
    }
  }
  move_enlarging_nodes(graph, batch, places);
  for (std::size_t i = 0; i < count; ++i) {
    Phase& phase = by_place[places[i]];
    phase.sliced = batch.is_sliced(static_cast<NodeId>(i));
    if (!graph.nodes()[i].op->is_view()) phase.nodes.push_back(static_cast<NodeId>(i));
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
  const Ends ends(graph);
  // By level, then by name and attributes.
  using Calls = std::map<std::pair<std::string_view, std::string>, std::vector<NodeId>>;
  std::map<int, Calls> first;
  std::map<int, Calls, std::greater<>> last;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Op& op = *graph.nodes()[i].op;
    if (ends.last(id) > 0) {
      last[ends.last(id)][{op.name(), op.attributes()}].push_back(id);
    } else if (ends.first(id) > 0) {
      first[ends.first(id)][{op.name(), op.attributes()}].push_back(id);
    }
  }
  const auto run_levels = [&](const auto& levels) {
    for (const auto& [level, calls] : levels) {
      for (const auto& [call, nodes] : calls) std::for_each(nodes.begin(), nodes.end(), run);
    }
  };
  run_levels(first);
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (graph.nodes()[i].op->is_view()) {
      schedule.time[i] = static_cast<int>(phase.nodes.size());
    } else if (ends.first(id) == 0 && ends.last(id) == 0) {
      run(id);
    }
  }
  run_levels(last);
  schedule.end_time = static_cast<int>(phase.nodes.size());
  if (!phase.nodes.empty()) schedule.phases.push_back(std::move(phase));
  return schedule;
}

}  // namespace rhyton::graph
