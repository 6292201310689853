#include <rhyton/framework/graph/partition.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/ids.h>
#include <rhyton/framework/graph/passes/readers.h>

namespace rhyton::graph {
namespace {

/// A run of nodes on one device, in the order of the graph.
struct Run {
  LogicalDevice* device = nullptr;
  std::vector<NodeId> nodes;
};

class Scheduler {
 public:
  Scheduler(const Graph& graph, const DeviceAssignment& devices)
      : graph_(graph), devices_(devices), readers_(graph), waiting_(graph.nodes().size(), 0) {}

  std::vector<Run> runs() {
    count_changes();
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      for (const ValueId input : graph_.nodes()[i].inputs) waiting_[i] += graph_.value(input).producer >= 0 ? 1 : 0;
      if (waiting_[i] == 0) add_ready(static_cast<NodeId>(i));
    }
    std::vector<Run> runs;
    while (LogicalDevice* const device = most_urgent()) runs.push_back(run_all_of(*device));
    return runs;
  }

 private:
  // Per node: the maximum number of changes of the device on a path from it to the end.
  void count_changes() {
    changes_.assign(graph_.nodes().size(), 0);
    for (std::size_t i = graph_.nodes().size(); i-- > 0;) {
      for (const ValueId output : graph_.nodes()[i].outputs) {
        for (const NodeId reader : readers_.of(output)) {
          const int change = devices_.nodes[i] != devices_.nodes[at(reader)] ? 1 : 0;
          changes_[i] = std::max(changes_[i], changes_[at(reader)] + change);
        }
      }
    }
  }

  void add_ready(NodeId id) { ready_[devices_.nodes[at(id)]].insert(id); }

  // The device with the ready node that has the most changes after it; of several, the one whose node is first.
  LogicalDevice* most_urgent() const {
    LogicalDevice* found = nullptr;
    std::pair<int, NodeId> best;
    for (const auto& [device, nodes] : ready_) {
      for (const NodeId id : nodes) {
        const std::pair<int, NodeId> urgency{-changes_[at(id)], id};
        if (found != nullptr && best < urgency) continue;
        found = device;
        best = urgency;
      }
    }
    return found;
  }

  Run run_all_of(LogicalDevice& device) {
    Run run{.device = &device, .nodes = {}};
    std::set<NodeId>& ready = ready_[&device];
    while (!ready.empty()) {
      const NodeId id = *ready.begin();
      ready.erase(ready.begin());
      run.nodes.push_back(id);
      for (const ValueId output : graph_.node(id).outputs) {
        for (const NodeId reader : readers_.of(output)) {
          if (--waiting_[at(reader)] == 0) add_ready(reader);
        }
      }
    }
    ready_.erase(&device);
    std::sort(run.nodes.begin(), run.nodes.end());
    return run;
  }

  const Graph& graph_;
  const DeviceAssignment& devices_;
  Readers readers_;
  std::vector<int> changes_;
  std::vector<int> waiting_;
  std::unordered_map<LogicalDevice*, std::set<NodeId>> ready_;
};

class Builder {
 public:
  Builder(const Graph& graph, const DeviceAssignment& devices)
      : graph_(graph),
        devices_(devices),
        batch_(analyze_batch(graph)),
        readers_(graph),
        runs_(Scheduler(graph, devices).runs()),
        run_of_(graph.nodes().size(), 0) {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      for (const NodeId id : runs_[r].nodes) run_of_[at(id)] = r;
    }
  }

  Partition build() {
    Partition partition;
    std::vector<bool> is_own_update(graph_.updates.size(), false);
    for (std::size_t u = 0; u < graph_.updates.size(); ++u) {
      is_own_update[u] = is_of_last_run(graph_.updates[u]);
      if (!is_own_update[u]) partition.updates.push_back(graph_.updates[u]);
    }
    find_values_that_leave(partition.updates);
    for (std::size_t r = 0; r < runs_.size(); ++r) partition.parts.push_back(part(r));
    for (std::size_t u = 0; u < graph_.updates.size(); ++u) {
      if (!is_own_update[u]) continue;
      // `fresh_` still contains the values of the last part.
      partition.parts.back().graph.updates.push_back({graph_.updates[u].variable, fresh_.at(graph_.updates[u].value)});
    }
    return partition;
  }

 private:
  bool is_of_last_run(const Update& update) const {
    const NodeId producer = graph_.value(update.value).producer;
    return producer >= 0 && run_of_[at(producer)] + 1 == runs_.size() &&
           &devices_.of(update.variable) == runs_.back().device;
  }

  void find_values_that_leave(const std::vector<Update>& updates) {
    leaves_.assign(graph_.values().size(), false);
    for (const ValueId id : graph_.outputs) leaves_[at(id)] = true;
    for (const Update& update : updates) leaves_[at(update.value)] = true;
  }

  bool is_read_later(ValueId id, std::size_t run) const {
    const std::vector<NodeId>& readers = readers_.of(id);
    return std::any_of(readers.begin(), readers.end(), [&](NodeId reader) { return run_of_[at(reader)] != run; });
  }

  GraphPart part(std::size_t run) {
    GraphPart part{.device = runs_[run].device, .graph = {}, .inputs = {}, .outputs = {}};
    fresh_.clear();
    for (const NodeId id : runs_[run].nodes) {
      const Node& node = graph_.node(id);
      std::vector<ValueId> inputs;
      for (const ValueId input : node.inputs) inputs.push_back(mapped(input, part));
      const NodeId copy = part.graph.add_node(node.op, std::move(inputs), graph_.specs_of(node.outputs));
      part.graph.set_scope_if_empty(copy, node.scope);
      for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const ValueId output = node.outputs[i];
        fresh_[output] = part.graph.node(copy).outputs[i];
        if (!leaves_[at(output)] && !is_read_later(output, run)) continue;
        part.outputs.push_back(output);
        part.graph.outputs.push_back(fresh_[output]);
      }
    }
    return part;
  }

  ValueId mapped(ValueId id, GraphPart& part) {
    const auto known = fresh_.find(id);
    if (known != fresh_.end()) return known->second;
    const Value& value = graph_.value(id);
    ValueId fresh = -1;
    if (value.kind == Value::Kind::constant) {
      fresh = part.graph.add_constant(value.constant);
    } else if (value.kind == Value::Kind::variable && &devices_.of(value.variable) == part.device) {
      fresh = part.graph.add_variable(value.variable);
    } else {
      part.inputs.push_back(id);
      fresh = part.graph.add_input({value.spec, batch_axis_of(id)});
    }
    return fresh_[id] = fresh;
  }

  int batch_axis_of(ValueId id) const {
    const int axis = batch_.axis[at(id)];
    return axis >= 0 && graph_.value(id).spec.shape[axis] == batch_.batch ? axis : -1;
  }

  const Graph& graph_;
  const DeviceAssignment& devices_;
  BatchAnalysis batch_;
  Readers readers_;
  std::vector<Run> runs_;
  std::vector<std::size_t> run_of_;
  std::vector<bool> leaves_;
  // For the part that is being built: its value for a value of the whole graph.
  std::unordered_map<ValueId, ValueId> fresh_;
};

}  // namespace

Partition partition(const Graph& graph, const DeviceAssignment& devices) { return Builder(graph, devices).build(); }

}  // namespace rhyton::graph
