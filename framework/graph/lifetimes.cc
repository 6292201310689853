#include <rhyton/framework/graph/lifetimes.h>

#include <algorithm>
#include <numeric>

#include <rhyton/framework/graph/ids.h>

namespace rhyton::graph {

Lifetimes find_lifetimes(const Graph& graph, const BatchAnalysis& batch, const Schedule& schedule) {
  Lifetimes lifetimes;
  lifetimes.root.resize(graph.values().size());
  std::iota(lifetimes.root.begin(), lifetimes.root.end(), ValueId{0});
  lifetimes.lives.resize(graph.values().size());

  std::vector<int> position(graph.nodes().size(), 0);
  for (const Phase& phase : schedule.phases) {
    for (std::size_t i = 0; i < phase.nodes.size(); ++i) position[at(phase.nodes[i])] = static_cast<int>(i);
  }

  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    const auto id = static_cast<NodeId>(i);
    if (node.op->is_view()) {
      lifetimes.root[at(node.outputs[0])] = lifetimes.root[at(node.inputs[0])];
      continue;
    }
    for (const ValueId output : node.outputs) {
      Lifetime& life = lifetimes.lives[at(output)];
      life.last_time = schedule.time[i];
      life.last_position = position[i];
      life.is_local = batch.maps(output);
    }
    for (const ValueId input : node.inputs) {
      const ValueId root = lifetimes.root[at(input)];
      Lifetime& life = lifetimes.lives[at(root)];
      if (life.readers.empty() || life.readers.back() != id) life.readers.push_back(id);
      life.last_time = std::max(life.last_time, schedule.time[i]);
      life.last_position = std::max(life.last_position, position[i]);
      const NodeId producer = graph.value(root).producer;
      if (producer >= 0 && schedule.phase[at(producer)] != schedule.phase[i]) life.is_local = false;
    }
  }

  const auto keep = [&](ValueId id) {
    Lifetime& life = lifetimes.lives[at(lifetimes.root[at(id)])];
    life.is_kept = true;
    life.is_local = false;
    life.last_time = schedule.end_time;
  };
  for (const ValueId id : graph.outputs) keep(id);
  for (const Update& update : graph.updates) keep(update.value);
  return lifetimes;
}

}  // namespace rhyton::graph
