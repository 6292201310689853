#include <rhyton/apps/rhyton/model_graph.h>
#include <rhyton/layers/call_node.h>

#include <algorithm>
#include <map>
#include <set>

namespace rhyton::tool {
namespace {

using layers::CallNode;
using layers::SymbolicTensor;

/// All calls that the outputs depend on, in the order in which they were made.
std::vector<const CallNode*> calls_of(const std::vector<SymbolicTensor>& outputs) {
  std::set<const CallNode*> found;
  std::vector<const CallNode*> open;
  const auto reach = [&](const SymbolicTensor& tensor) {
    const CallNode* const call = tensor.node().get();
    if (found.insert(call).second) open.push_back(call);
  };
  for (const SymbolicTensor& output : outputs) reach(output);
  while (!open.empty()) {
    const CallNode* const call = open.back();
    open.pop_back();
    for (const SymbolicTensor& input : call->inputs) reach(input);
  }
  std::vector<const CallNode*> calls(found.begin(), found.end());
  std::sort(calls.begin(), calls.end(), [](const auto* a, const auto* b) { return a->serial < b->serial; });
  return calls;
}

ModelGraph row_of(const std::vector<layers::Layer>& layers) {
  ModelGraph graph;
  for (const layers::Layer& layer : layers) {
    if (!graph.layers.empty()) graph.edges.emplace_back(graph.layers.size() - 1, graph.layers.size());
    graph.layers.push_back({.layer = layer, .inputs = {}, .outputs = {}});
  }
  return graph;
}

}  // namespace

const LayerNode* ModelGraph::find(const layers::Layer& layer) const {
  const auto node =
      std::find_if(layers.begin(), layers.end(), [&](const LayerNode& n) { return n.layer.is_same(layer); });
  return node == layers.end() ? nullptr : &*node;
}

ModelGraph graph_of(const models::Model& model) {
  if (!model.is_built()) return row_of(model.layers());
  ModelGraph graph;
  std::map<const layers::LayerImpl*, std::size_t> places;
  std::set<std::pair<std::size_t, std::size_t>> edges;
  for (const CallNode* call : calls_of(model.outputs())) {
    const auto [place, is_new] = places.emplace(call->layer.get(), graph.layers.size());
    if (is_new) graph.layers.push_back({.layer = layers::Layer(call->layer), .inputs = {}, .outputs = {}});
    LayerNode& node = graph.layers[place->second];
    std::vector<Shape>& inputs = node.inputs.emplace_back();
    for (const SymbolicTensor& input : call->inputs) {
      inputs.push_back(input.shape());
      const std::pair<std::size_t, std::size_t> edge(places.at(input.node()->layer.get()), place->second);
      if (edges.insert(edge).second) graph.edges.push_back(edge);
    }
    std::vector<Shape>& outputs = node.outputs.emplace_back();
    for (const TensorSpec& output : call->outputs) outputs.push_back(output.shape);
  }
  return graph;
}

}  // namespace rhyton::tool
