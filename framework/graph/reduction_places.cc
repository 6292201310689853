#include <rhyton/framework/graph/reduction_places.h>

#include <algorithm>
#include <unordered_set>

#include <rhyton/framework/graph/node_kind.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/overlapped_reductions.h>

namespace rhyton::graph {
namespace {

class Places {
 public:
  Places(const Graph& graph, const Schedule& schedule, const Lifetimes& lifetimes,
         threading::FunctionRef<bool(ValueId)> has_place)
      : graph_(graph), schedule_(schedule), lifetimes_(lifetimes), has_place_(has_place) {}

  JointPlace place(NodeId id) {
    const Node& node = graph_.node(id);
    const bool is_begun = is_a<BeginAllReduceOp>(node);
    JointPlace joint;
    joint.interval.first = time_of(id);
    joint.interval.last = joint.interval.first;
    const auto add = [&](ValueId value) {
      joint.members.emplace_back(value, joint.interval.bytes);
      placed_.insert(value);
    };
    // A begun sum also outputs a number, which is not one of its tensors.
    const std::size_t tensors = node.outputs.size() - (is_begun ? 1 : 0);
    for (std::size_t i = 0; i < tensors; ++i) {
      const ValueId input = root(node.inputs[i]);
      const bool may_overwrite = is_free(node, i);
      // A background sum needs memory that is not reused meanwhile, whether or not it is its input's.
      if (!may_overwrite && !is_begun) continue;
      if (may_overwrite) {
        add(input);
        joint.interval.first = std::min(joint.interval.first, time_of(graph_.value(input).producer));
      }
      for (const ValueId sum : sums_of(node, i)) {
        if (is_placed(sum)) continue;
        add(sum);
        joint.interval.last = std::max(joint.interval.last, lifetimes_.of(sum).last_time);
      }
      joint.interval.bytes += aligned(bytes_of(input));
    }
    return joint;
  }

 private:
  ValueId root(ValueId id) const { return lifetimes_.root[static_cast<std::size_t>(id)]; }
  std::size_t bytes_of(ValueId id) const { return graph_.value(id).spec.bytes(); }
  int time_of(NodeId id) const { return schedule_.time[static_cast<std::size_t>(id)]; }
  bool is_placed(ValueId id) const { return has_place_(id) || placed_.contains(id); }

  // Whether the sum may overwrite the tensor: not if it has other readers, or if this node reads it twice.
  bool is_free(const Node& node, std::size_t tensor) const {
    const ValueId input = root(node.inputs[tensor]);
    const ValueId sum = node.outputs[tensor];
    const Lifetime& life = lifetimes_.of(input);
    const auto reads =
        std::count_if(node.inputs.begin(), node.inputs.end(), [&](ValueId other) { return root(other) == input; });
    return graph_.value(input).kind == Value::Kind::computed && !is_placed(input) && !life.is_kept &&
           life.readers.size() == 1 && reads == 1 && bytes_of(input) == bytes_of(sum) && !is_placed(sum);
  }

  // The values of a tensor's sum: while it is computed, and when it is read.
  std::vector<ValueId> sums_of(const Node& node, std::size_t tensor) const {
    std::vector<ValueId> sums{node.outputs[tensor]};
    for (const NodeId reader : lifetimes_.of(sums.front()).readers) {
      const Node& finish = graph_.node(reader);
      if (is_a<FinishAllReduceOp>(finish)) sums.push_back(finish.outputs[tensor]);
    }
    return sums;
  }

  const Graph& graph_;
  const Schedule& schedule_;
  const Lifetimes& lifetimes_;
  threading::FunctionRef<bool(ValueId)> has_place_;
  std::unordered_set<ValueId> placed_;
};

}  // namespace

std::vector<JointPlace> place_reductions(const Graph& graph, const Schedule& schedule, const Lifetimes& lifetimes,
                                         threading::FunctionRef<bool(ValueId)> has_place) {
  Places places(graph, schedule, lifetimes, has_place);
  std::vector<JointPlace> joint;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node& node = graph.nodes()[n];
    const bool sums = is_a<BeginAllReduceOp>(node) || is_a<AllReduceOp>(node);
    if (!sums || schedule.phase[n] < 0) continue;
    joint.push_back(places.place(static_cast<NodeId>(n)));
    if (joint.back().members.empty()) joint.pop_back();
  }
  return joint;
}

}  // namespace rhyton::graph
