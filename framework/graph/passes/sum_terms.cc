#include <rhyton/framework/graph/passes/sum_terms.h>

#include <rhyton/framework/ops/op_kind.h>

namespace rhyton::graph {
namespace {

bool is_broadcast(const Graph& graph, const Node& sum, ValueId term) {
  return graph.value(term).spec != graph.value(sum.outputs[0]).spec;
}

}  // namespace

bool is_part_of_a_sum(const Graph& graph, const Readers& readers, const Node& sum) {
  const NodeId reader = readers.only(sum.outputs[0]);
  return reader >= 0 && is_add(*graph.node(reader).op) && !is_broadcast(graph, graph.node(reader), sum.outputs[0]);
}

std::vector<ValueId> terms_of_sum(const Graph& graph, const Readers& readers, const Node& sum) {
  std::vector<ValueId> terms;
  std::vector<ValueId> rest = sum.inputs;
  while (!rest.empty()) {
    const ValueId value = rest.back();
    rest.pop_back();
    if (is_broadcast(graph, sum, value)) return {};
    const NodeId producer = graph.value(value).producer;
    if (producer >= 0 && readers.only(value) >= 0 && is_add(*graph.node(producer).op)) {
      const std::vector<ValueId>& inputs = graph.node(producer).inputs;
      rest.insert(rest.end(), inputs.begin(), inputs.end());
    } else {
      terms.push_back(value);
    }
  }
  return terms;
}

}  // namespace rhyton::graph
