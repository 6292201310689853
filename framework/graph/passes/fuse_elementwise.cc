#include <rhyton/framework/graph/passes/fuse_elementwise.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/ids.h>
#include <rhyton/framework/graph/schedule.h>
#include <rhyton/framework/ops/elementwise_chain.h>
#include <rhyton/framework/ops/elementwise_op.h>

namespace rhyton::graph {
namespace {

// Below this size, a chain costs more than the memory traffic it avoids.
constexpr std::int64_t fewest_elements = 1024;
// With longer chains and more inputs, blocks that fit in the L1 cache are too small to be worth their calls.
constexpr std::size_t max_members = 24;
constexpr std::size_t max_inputs = 12;

/// Nodes that are fused into one, or a single node.
struct Group {
  std::vector<NodeId> members;
  std::int64_t row_length = 1;
};

/// Positions, of which neighbours are joined step by step into ranges.
class Ranges {
 public:
  explicit Ranges(std::size_t count) : first_(count), end_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      first_[i] = i;
      end_[i] = i + 1;
    }
  }

  /// Joins the ranges of all positions from `first` to `last`. Each position is joined with its neighbour once.
  void join(std::size_t first, std::size_t last) {
    first = begin_of(first);
    while (end_[first] <= last) {
      const std::size_t next = end_[first];
      first_[next] = first;
      end_[first] = end_[next];
    }
  }

  /// The first position of the range of this one.
  std::size_t begin_of(std::size_t position) {
    std::size_t begin = position;
    while (first_[begin] != begin) begin = first_[begin];
    while (first_[position] != begin) position = std::exchange(first_[position], begin);
    return begin;
  }

 private:
  // The first position of the range, for positions that are not it a step towards it.
  std::vector<std::size_t> first_;
  // For the first position of a range: the one after its last.
  std::vector<std::size_t> end_;
};

class ElementwiseFuser {
 public:
  /// `device_kernels`: null for the host, whose plans slice the batch.
  ElementwiseFuser(const Graph& graph, const KernelTable* device_kernels)
      : graph_(graph),
        device_kernels_(device_kernels),
        batch_(device_kernels != nullptr ? without_batch(graph) : analyze_batch(graph)),
        schedule_(make_schedule(graph, batch_)),
        readers_(graph.values().size()),
        is_kept_(graph.values().size(), false),
        is_candidate_(graph.nodes().size(), false),
        own_row_length_(graph.nodes().size(), 1),
        group_of_(graph.nodes().size()),
        groups_(graph.nodes().size()),
        ranges_(graph.nodes().size()),
        seen_(graph.nodes().size(), 0) {
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
      for (const ValueId id : graph.nodes()[i].inputs) readers_[at(id)].push_back(static_cast<NodeId>(i));
    }
    for (const ValueId id : graph.outputs) is_kept_[at(id)] = true;
    for (const Update& update : graph.updates) is_kept_[at(update.value)] = true;
  }

  Graph run() {
    std::vector<NodeId> fusible;
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      is_candidate_[i] = is_fusible(id, own_row_length_[i]);
      if (is_candidate_[i]) fusible.push_back(id);
      separate(id);
    }
    join(fusible, true);
    // Groups that would keep results in memory longer are dissolved; their members are joined again, avoiding that at
    // each step.
    std::vector<NodeId> dissolved;
    for (const NodeId id : fusible) {
      if (keeps_waiting(groups_[group_of_[at(id)]])) dissolved.push_back(id);
    }
    for (const NodeId id : fusible) is_candidate_[at(id)] = false;
    for (const NodeId id : dissolved) {
      is_candidate_[at(id)] = true;
      separate(id);
    }
    for (const NodeId id : fusible) join_range(groups_[group_of_[at(id)]]);
    join(dissolved, false);
    if (device_kernels_ != nullptr) join_last_scalars(fusible);
    return rewrite();
  }

 private:
  /// Makes a node a group of its own; a group has the index of one of its members.
  void separate(NodeId id) {
    group_of_[at(id)] = at(id);
    groups_[at(id)] = {{id}, own_row_length_[at(id)]};
  }

  void join(const std::vector<NodeId>& nodes, bool may_wait) {
    // From the end: a node that could be joined with its producers or its readers, but not with both, is joined with
    // the readers. Its input is written to memory anyway, its result need not be.
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      const NodeId id = *node;
      std::vector<NodeId> readers;
      for (const NodeId reader : readers_[at(graph_.node(id).outputs[0])]) {
        if (is_candidate_[at(reader)] && are_alike(id, reader)) readers.push_back(reader);
      }
      if (readers.empty() || try_join(id, readers, may_wait)) continue;
      for (const NodeId reader : readers) try_join(id, {reader}, may_wait);
    }
  }

  /// Joins single elements without other readers, such as counters and totals of metrics, even if they do not depend on
  /// each other: each call has a fixed cost.
  void join_last_scalars(const std::vector<NodeId>& fusible) {
    std::optional<NodeId> first;
    for (const NodeId id : fusible) {
      if (shape_of(id).size() != 1 || !is_read_by_none(groups_[group_of_[at(id)]])) continue;
      if (!first || !are_alike(*first, id) || !try_join(*first, {id}, true)) first = id;
    }
  }

  bool is_read_by_none(const Group& group) const {
    return std::ranges::all_of(group.members, [&](NodeId member) {
      return std::ranges::all_of(readers_[at(graph_.node(member).outputs[0])],
                                 [&](NodeId reader) { return is_member(reader, group); });
    });
  }

  static bool is_member(NodeId id, const Group& group) {
    return std::binary_search(group.members.begin(), group.members.end(), id);
  }

  const Shape& shape_of(NodeId id) const { return graph_.value(graph_.node(id).outputs[0]).spec.shape; }

  bool is_fusible(NodeId id, std::int64_t& row_length) const {
    const Node& node = graph_.node(id);
    if (dynamic_cast<const ElementwiseOp*>(node.op.get()) == nullptr || !node.op->is_deterministic()) return false;
    if (node.outputs.size() != 1) return false;
    const std::vector<TensorSpec> inputs = graph_.specs_of(node.inputs);
    const Kernel* kernel = cpu_kernels().find(node.op->name(), node.op->kernel_dtype(inputs));
    if (kernel == nullptr) return false;
    if (device_kernels_ != nullptr) {
      if (!device_kernels_->supports(*node.op, node.op->kernel_dtype(inputs))) return false;
    } else {
      if (kernel->workspace_bytes != nullptr || kernel->packed_bytes != nullptr) return false;
      if (shape_of(id).size() < fewest_elements) return false;
    }
    return ElementwiseChainOp::fits(shape_of(id), inputs, row_length);
  }

  /// Whether two nodes run at the same time on the same samples.
  bool are_alike(NodeId a, NodeId b) const {
    const auto axis = [&](NodeId id) { return batch_.axis[at(graph_.node(id).outputs[0])]; };
    return shape_of(a) == shape_of(b) && batch_.is_sliced(a) == batch_.is_sliced(b) && axis(a) == axis(b) &&
           schedule_.phase[at(a)] == schedule_.phase[at(b)];
  }

  /// Joins the groups of a node and of some of its readers, if that is allowed.
  bool try_join(NodeId producer, const std::vector<NodeId>& readers, bool may_wait) {
    const std::size_t first = group_of_[at(producer)];
    std::vector<std::size_t> parts{first};
    for (const NodeId reader : readers) {
      const std::size_t group = group_of_[at(reader)];
      if (std::find(parts.begin(), parts.end(), group) == parts.end()) parts.push_back(group);
      if (parts.size() > max_members) return false;
    }
    if (parts.size() == 1) return true;
    Group joined;
    for (const std::size_t part : parts) {
      const Group& group = groups_[part];
      joined.members.insert(joined.members.end(), group.members.begin(), group.members.end());
      if (joined.row_length != 1 && group.row_length != 1 && joined.row_length != group.row_length) return false;
      joined.row_length = std::max(joined.row_length, group.row_length);
    }
    std::sort(joined.members.begin(), joined.members.end());
    if (joined.members.size() > max_members || inputs_of(joined).size() > max_inputs) return false;
    if ((!may_wait && keeps_waiting(joined)) || has_way_round(parts, may_wait)) return false;
    for (const NodeId member : joined.members) group_of_[at(member)] = first;
    for (const std::size_t part : parts) groups_[part].members.clear();
    groups_[first] = std::move(joined);
    if (!may_wait) join_range(groups_[first]);
    return true;
  }

  void join_range(const Group& group) { ranges_.join(at(group.members.front()), at(group.members.back())); }

  /// In a sliced phase, whose memory is a core's cache: whether a node between the members would run only after all of
  /// them, although its inputs are computed earlier. Results would stay in memory for longer than otherwise.
  bool keeps_waiting(const Group& group) const {
    const NodeId last = group.members.back();
    if (!batch_.is_sliced(last)) return false;
    for (NodeId id = last - 1; id >= group.members.front(); --id) {
      if (is_member(id, group)) continue;
      if (graph_.node(id).op->is_view() || schedule_.phase[at(id)] != schedule_.phase[at(last)]) continue;
      // The members before this node may be read by later members only.
      return std::any_of(group.members.begin(), group.members.end(),
                         [&](NodeId member) { return member < id && is_read_outside(member, group); });
    }
    return false;
  }

  /// Whether a path leads from one of the groups through nodes outside to one of them: joined, they would be a cycle.
  /// `from_the_end`: all groups so far come after these.
  bool has_way_round(const std::vector<std::size_t>& parts, bool from_the_end) {
    ++search_;
    std::vector<std::size_t> open;
    const auto is_part = [&](std::size_t group) { return std::find(parts.begin(), parts.end(), group) != parts.end(); };
    const auto visit_inputs = [&](std::size_t group, bool is_start) {
      for (const NodeId member : groups_[group].members) {
        for (const ValueId input : graph_.node(member).inputs) {
          const NodeId producer = graph_.value(input).producer;
          if (producer < 0) continue;
          const std::size_t next = group_of_[at(producer)];
          if (is_part(next)) {
            if (!is_start) return true;
          } else if (seen_[next] != search_) {
            seen_[next] = search_;
            open.push_back(next);
          }
        }
      }
      return false;
    };
    NodeId earliest = groups_[parts.front()].members.front();
    for (const std::size_t part : parts) {
      earliest = std::min(earliest, groups_[part].members.front());
      visit_inputs(part, true);
    }
    // A group whose first members come before these groups may depend on them through its later ones; so may everything
    // that depends on it. Nodes before all such groups do not.
    if (!from_the_end) earliest = static_cast<NodeId>(ranges_.begin_of(at(earliest)));
    while (!open.empty()) {
      const std::size_t group = open.back();
      open.pop_back();
      if (groups_[group].members.back() >= earliest && visit_inputs(group, false)) return true;
    }
    return false;
  }

  bool is_inside(ValueId id, const Group& group) const {
    const NodeId producer = graph_.value(id).producer;
    return producer >= 0 && is_member(producer, group);
  }

  /// Inputs of the results' shape first: a call is divided into pieces along the first input.
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
    return is_kept_[at(id)] || std::any_of(readers_[at(id)].begin(), readers_[at(id)].end(),
                                           [&](NodeId reader) { return !is_member(reader, group); });
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
    if (!is_accepted(*op, inputs, outputs)) {
      for (const NodeId member : group.members) rewriter.keep(graph_.node(member));
      return;
    }
    const NodeId chain = rewriter.target().add_node(op, rewriter.mapped(inputs), graph_.specs_of(outputs));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      rewriter.map(outputs[i], rewriter.target().node(chain).outputs[i]);
    }
  }

  bool is_accepted(const ElementwiseChainOp& chain, const std::vector<ValueId>& inputs,
                   const std::vector<ValueId>& outputs) const {
    if (device_kernels_ == nullptr) return true;
    const std::vector<TensorSpec> input_specs = graph_.specs_of(inputs);
    const Kernel* kernel = device_kernels_->find(chain.name(), chain.kernel_dtype(input_specs));
    if (kernel == nullptr) return false;
    return kernel->accepts == nullptr || kernel->accepts(chain, input_specs, graph_.specs_of(outputs));
  }

  /// Puts a chain at the position of its last member, and the nodes that depend on it as early as possible after it.
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
  const KernelTable* device_kernels_;
  BatchAnalysis batch_;
  Schedule schedule_;
  std::vector<std::vector<NodeId>> readers_;
  std::vector<bool> is_kept_;
  std::vector<bool> is_candidate_;
  std::vector<std::int64_t> own_row_length_;
  /// Per node: the group it is in.
  std::vector<std::size_t> group_of_;
  std::vector<Group> groups_;
  /// In each range, groups overlap; different ranges have no group in common.
  Ranges ranges_;
  /// Per group: the last search that came to it, and the number of searches.
  std::vector<std::uint32_t> seen_;
  std::uint32_t search_ = 0;
};

}  // namespace

Graph fuse_elementwise(const Graph& graph) { return ElementwiseFuser(graph, nullptr).run(); }

Graph fuse_elementwise_for(const Graph& graph, const KernelTable& kernels) {
  return ElementwiseFuser(graph, &kernels).run();
}

}  // namespace rhyton::graph
