#include <rhyton/framework/graph/passes/readers.h>

namespace rhyton::graph {

Readers::Readers(const Graph& graph) : readers_(graph.values().size()), leaves_(graph.values().size(), false) {
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    for (const ValueId id : graph.nodes()[i].inputs) {
      readers_[static_cast<std::size_t>(id)].push_back(static_cast<NodeId>(i));
    }
  }
  for (const ValueId id : graph.outputs) leaves_[static_cast<std::size_t>(id)] = true;
  for (const Update& update : graph.updates) leaves_[static_cast<std::size_t>(update.value)] = true;
}

}  // namespace rhyton::graph
