#include <rhyton/models/keras_names.h>

#include <set>
#include <utility>

#include <rhyton/layers/call_node.h>

namespace rhyton::utils {
namespace {

using layers::CallNode;
using layers::SymbolicTensor;

/// A call whose inputs are being visited.
struct Visit {
  std::shared_ptr<const CallNode> node;
  std::size_t next = 0;
};

}  // namespace

std::vector<SymbolicTensor> get_source_inputs(const SymbolicTensor& tensor) {
  std::vector<SymbolicTensor> sources;
  std::set<const CallNode*> visited;
  std::vector<Visit> path;
  const auto enter = [&](std::shared_ptr<const CallNode> node) {
    if (!visited.insert(node.get()).second) return;
    if (node->inputs.empty()) {
      for (const SymbolicTensor& source : layers::outputs_of(node)) sources.push_back(source);
      return;
    }
    path.push_back({std::move(node)});
  };
  enter(tensor.node());
  // Without recursion, as chains of calls may be of any length.
  while (!path.empty()) {
    Visit& visit = path.back();
    if (visit.next == visit.node->inputs.size()) {
      path.pop_back();
    } else {
      enter(visit.node->inputs[visit.next++].node());
    }
  }
  return sources;
}

}  // namespace rhyton::utils
