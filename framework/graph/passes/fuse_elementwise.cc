#include <rhyton/framework/graph/passes/fuse_elementwise.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/schedule.h>
#include <rhyton/framework/ops/elementwise_chain.h>
#include <rhyton/framework/ops/elementwise_op.h>

namespace rhyton::graph {
namespace {

// Below this, walking a chain costs more than the memory between its members.
constexpr std::int64_t fewest_elements = 1024;
// Long chains and many streams of memory do not fit the first cache in blocks worth their calls.
constexpr std::size_t most_members = 24;
constexpr std::size_t most_inputs = 12;

std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }

/// Nodes that become one, or a single node.
struct Group {
  std::vector<NodeId> members;
  std::int64_t row_length = 1;
};

class Fuser {
 public:
  explicit Fuser(const Graph& graph)
      : graph_(graph),
        batch_(analyze_batch(graph)),
        schedule_(make_schedule(graph, batch_)),
        readers_(graph.values().size()),
        is_kept_(graph.values().size(), false),
        group_of_(graph.nodes().size()),
        groups_(graph.nodes().size()) {
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
      for (const ValueId id : graph.nodes()[i].inputs) readers_[at(id)].push_back(static_cast<NodeId>(i));
    }
    for (const ValueId id : graph.outputs) is_kept_[at(id)] = true;
    for (const Update& update : graph.updates) is_kept_[at(update.value)] = true;
  }

  Graph run() {
    std::vector<bool> fusible;
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      group_of_[i] = i;
      groups_[i].members = {id};
      fusible.push_back(is_fusible(id, groups_[i].row_length));
      if (!fusible.back()) continue;
      for (const ValueId input : graph_.node(id).inputs) {
        const NodeId producer = graph_.value(input).producer;
        if (producer >= 0 && fusible[at(producer)]) try_join(producer, id);
      }
    }
    return rewrite();
  }

 private:
  const Shape& shape_of(NodeId id) const { return graph_.value(graph_.node(id).outputs[0]).spec.shape; }

  bool is_fusible(NodeId id, std::int64_t& row_length) const {
    const Node& node = graph_.node(id);
    if (dynamic_cast<const ElementwiseOp*>(node.op.get()) == nullptr || !node.op->is_deterministic()) return false;
    if (node.outputs.size() != 1 || shape_of(id).size() < fewest_elements) return false;
    const std::vector<TensorSpec> inputs = graph_.specs_of(node.inputs);
    const Kernel* kernel = cpu_kernels().find(node.op->name(), node.op->kernel_dtype(inputs));
    if (kernel == nullptr || kernel->workspace_bytes != nullptr || kernel->packed_bytes != nullptr) return false;
    return ElementwiseChainOp::fits(shape_of(id), inputs, row_length);
  }

  /// Whether two nodes run at the same time on the same samples.
  bool are_alike(NodeId a, NodeId b) const {
    const auto axis = [&](NodeId id) { return batch_.axis[at(graph_.node(id).outputs[0])]; };
    return shape_of(a) == shape_of(b) && batch_.execution[at(a)] == batch_.execution[at(b)] && axis(a) == axis(b) &&
           schedule_.phase[at(a)] == schedule_.phase[at(b)];
  }

  void try_join(NodeId producer, NodeId reader) {
    const std::size_t from = group_of_[at(producer)];
    const std::size_t to = group_of_[at(reader)];
    if (from == to || !are_alike(producer, reader)) return;
    Group joined;
    joined.members = groups_[from].members;
    joined.members.insert(joined.members.end(), groups_[to].members.begin(), groups_[to].members.end());
    std::sort(joined.members.begin(), joined.members.end());
    const std::int64_t lengths[] = {groups_[from].row_length, groups_[to].row_length};
    if (lengths[0] != 1 && lengths[1] != 1 && lengths[0] != lengths[1]) return;
    joined.row_length = std::max(lengths[0], lengths[1]);
    if (joined.members.size() > most_members || inputs_of(joined).size() > most_inputs) return;
    if (has_way_round(from, to)) return;
    for (const NodeId member : groups_[from].members) group_of_[at(member)] = to;
    groups_[from].members.clear();
    groups_[to] = std::move(joined);
  }

  /// Whether something outside both groups depends on one of them and is needed by one of them: they would wait for
  /// themselves.
  bool has_way_round(std::size_t a, std::size_t b) const {
    std::vector<bool> seen(groups_.size(), false);
    std::vector<std::size_t> open;
    const auto visit_inputs = [&](std::size_t group, bool is_start) {
      for (const NodeId member : groups_[group].members) {
        for (const ValueId input : graph_.node(member).inputs) {
          const NodeId producer = graph_.value(input).producer;
          if (producer < 0) continue;
          const std::size_t next = group_of_[at(producer)];
          if (next == a || next == b) {
            if (!is_start) return true;
          } else if (!seen[next]) {
            seen[next] = true;
            open.push_back(next);
          }
        }
      }
      return false;
    };
    visit_inputs(a, true);
    visit_inputs(b, true);
    const NodeId earliest = std::min(groups_[a].members.front(), groups_[b].members.front());
    while (!open.empty()) {
      const std::size_t group = open.back();
      open.pop_back();
      // Whatever depends on the groups comes after their first node.
      if (groups_[group].members.back() > earliest && visit_inputs(group, false)) return true;
    }
    return false;
  }

  bool is_inside(ValueId id, const Group& group) const {
    const NodeId producer = graph_.value(id).producer;
    return producer >= 0 && std::binary_search(group.members.begin(), group.members.end(), producer);
  }

  /// Those of the results' shape first: along the first input a call is dealt out.
  std::vector<ValueId> inputs_of(const Group& group) const {
    std::vector<ValueId> inputs;
    for (const NodeId member : group.members) {
      for (const ValueId input : graph_.node(member).inputs) {
        if (!is_inside(input, group) && std::find(inputs.begin(), inputs.end(), input) == inputs.end()) {
          inputs.push_back(input);
        }
      }
    }
    const Shape& shape = shape_of(group.members.front());
    std::stable_partition(inputs.begin(), inputs.end(),
                          [&](ValueId id) { return graph_.value(id).spec.shape == shape; });
    return inputs;
  }

  bool is_read_outside(NodeId member, const Group& group) const {
    const ValueId id = graph_.node(member).outputs[0];
    return is_kept_[at(id)] || std::any_of(readers_[at(id)].begin(), readers_[at(id)].end(), [&](NodeId reader) {
             return group_of_[at(reader)] != group_of_[at(group.members.front())];
           });
  }

  void add_chain(Rewriter& rewriter, const Group& group) const {
    const std::vector<ValueId> inputs = inputs_of(group);
    std::vector<ChainMember> members;
    std::vector<int> results;
    std::vector<ValueId> outputs;
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      const Node& node = graph_.node(group.members[i]);
      std::vector<int> operands;
      for (const ValueId input : node.inputs) {
        const auto outside = std::find(inputs.begin(), inputs.end(), input);
        const auto number =
            outside != inputs.end()
                ? outside - inputs.begin()
                : static_cast<std::ptrdiff_t>(inputs.size()) +
                      (std::lower_bound(group.members.begin(), group.members.end(), graph_.value(input).producer) -
                       group.members.begin());
        operands.push_back(static_cast<int>(number));
      }
      members.push_back({node.op, operands});
      if (!is_read_outside(group.members[i], group)) continue;
      results.push_back(static_cast<int>(i));
      outputs.push_back(node.outputs[0]);
    }
    const auto op = std::make_shared<const ElementwiseChainOp>(graph_.specs_of(inputs), std::move(members), results);
    const NodeId chain = rewriter.target().add_node(op, rewriter.mapped(inputs), graph_.specs_of(outputs));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      rewriter.map(outputs[i], rewriter.target().node(chain).outputs[i]);
    }
  }

  /// A chain stands where its last member stood, and what it kept waiting as soon after it as it can.
  Graph rewrite() const {
    std::vector<std::size_t> waiting(groups_.size(), 0);
    std::vector<std::vector<std::size_t>> followers(groups_.size());
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      for (const ValueId input : graph_.nodes()[i].inputs) {
        const NodeId producer = graph_.value(input).producer;
        if (producer < 0 || group_of_[at(producer)] == group_of_[i]) continue;
        ++waiting[group_of_[i]];
        followers[group_of_[at(producer)]].push_back(group_of_[i]);
      }
    }
    using Entry = std::pair<NodeId, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    const auto add_ready = [&](std::size_t group) { ready.emplace(groups_[group].members.back(), group); };
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (!groups_[i].members.empty() && waiting[i] == 0) add_ready(i);
    }
    Rewriter rewriter(graph_);
    while (!ready.empty()) {
      const std::size_t next = ready.top().second;
      ready.pop();
      const Group& group = groups_[next];
      if (group.members.size() == 1) {
        rewriter.keep(graph_.node(group.members.front()));
      } else {
        add_chain(rewriter, group);
      }
      for (const std::size_t follower : followers[next]) {
        if (--waiting[follower] == 0) add_ready(follower);
      }
    }
    return rewriter.finish();
  }

  const Graph& graph_;
  BatchAnalysis batch_;
  Schedule schedule_;
  std::vector<std::vector<NodeId>> readers_;
  std::vector<bool> is_kept_;
  /// Per node: the group it is in; groups are numbered as the nodes they began with.
  std::vector<std::size_t> group_of_;
  std::vector<Group> groups_;
};

}  // namespace

Graph fuse_elementwise(const Graph& graph) { return Fuser(graph).run(); }

}  // namespace rhyton::graph
