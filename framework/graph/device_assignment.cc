#include <rhyton/framework/graph/device_assignment.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/graph/passes/readers.h>

namespace rhyton::graph {
namespace {

class Assigner {
 public:
  Assigner(const Graph& graph, LogicalDevice& device) : graph_(graph), device_(device), readers_(graph) {}

  DeviceAssignment assign() {
    for (const Node& node : graph_.nodes()) assigned_.nodes.push_back(node.device);
    if (concerns_other_tasks()) settle_other_tasks();
    settle_variables_of_placed_nodes();
    follow_inputs();
    follow_readers();
    settle_other_variables();
    return std::move(assigned_);
  }

 private:
  LogicalDevice*& at(NodeId id) { return assigned_.nodes[static_cast<std::size_t>(id)]; }

  LogicalDevice* home_of(const Value& value) const {
    const auto home = assigned_.variables.find(value.variable.identity());
    return home == assigned_.variables.end() ? nullptr : home->second;
  }

  bool concerns_other_tasks() const {
    return device_.is_remote() || has_distant_variables(graph_, device_) ||
           std::any_of(graph_.nodes().begin(), graph_.nodes().end(),
                       [](const Node& node) { return node.device != nullptr && node.device->is_remote(); });
  }

  // Variables stay where they are, new values of those of other tasks are computed there, all other nodes run on
  // `device`: no rule takes anything from one process to another.
  void settle_other_tasks() {
    const auto settle = [&](const Variable& variable) {
      assigned_.variables.try_emplace(variable.identity(), &variable.stored_value().device());
    };
    for (const Value& value : graph_.values()) {
      if (value.kind == Value::Kind::variable) settle(value.variable);
    }
    for (const Update& update : graph_.updates) settle(update.variable);
    for (const Update& update : graph_.updates) {
      LogicalDevice& home = *assigned_.variables.at(update.variable.identity());
      const NodeId producer = graph_.value(update.value).producer;
      if (home.is_remote() && producer >= 0 && at(producer) == nullptr) at(producer) = &home;
    }
    for (LogicalDevice*& device : assigned_.nodes) {
      if (device == nullptr) device = &device_;
    }
  }

  void settle_variables_of_placed_nodes() {
    for (const Node& node : graph_.nodes()) {
      if (node.device == nullptr) continue;
      for (const ValueId input : node.inputs) {
        const Value& value = graph_.value(input);
        if (value.kind != Value::Kind::variable) continue;
        assigned_.variables.try_emplace(value.variable.identity(), node.device);
      }
    }
  }

  // Null if none of the node's inputs has a device yet.
  LogicalDevice* device_of_inputs(const Node& node) {
    LogicalDevice* found = nullptr;
    std::size_t max_bytes = 0;
    for (const ValueId input : node.inputs) {
      const Value& value = graph_.value(input);
      if (value.kind == Value::Kind::variable) {
        if (LogicalDevice* const home = home_of(value)) return home;
      }
      if (value.producer < 0 || at(value.producer) == nullptr) continue;
      if (found != nullptr && value.spec.bytes() <= max_bytes) continue;
      found = at(value.producer);
      max_bytes = value.spec.bytes();
    }
    return found;
  }

  void follow_inputs() {
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      if (assigned_.nodes[i] == nullptr) assigned_.nodes[i] = device_of_inputs(graph_.nodes()[i]);
    }
  }

  bool makes_less(const Node& node) const {
    std::size_t largest = 0;
    std::size_t out = 0;
    for (const ValueId id : node.inputs) largest = std::max(largest, graph_.value(id).spec.bytes());
    for (const ValueId id : node.outputs) out += graph_.value(id).spec.bytes();
    return out < largest;
  }

  LogicalDevice* device_of_readers(const Node& node) {
    LogicalDevice* found = nullptr;
    for (const ValueId output : node.outputs) {
      for (const NodeId reader : readers_.of(output)) {
        if (found != nullptr && found != at(reader)) return nullptr;
        found = at(reader);
      }
    }
    return found;
  }

  void follow_readers() {
    for (std::size_t i = graph_.nodes().size(); i-- > 0;) {
      if (assigned_.nodes[i] != nullptr) continue;
      const Node& node = graph_.nodes()[i];
      LogicalDevice* const readers = makes_less(node) ? nullptr : device_of_readers(node);
      assigned_.nodes[i] = readers != nullptr ? readers : &device_;
    }
  }

  void settle_other_variables() {
    std::unordered_set<const void*> unsettled;
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      for (const ValueId input : graph_.nodes()[i].inputs) {
        const Value& value = graph_.value(input);
        if (value.kind != Value::Kind::variable) continue;
        const auto [home, is_new] = assigned_.variables.try_emplace(value.variable.identity(), assigned_.nodes[i]);
        if (is_new) unsettled.insert(home->first);
        // Read on several devices: the graph's own, if it is one of them, else the first one.
        if (assigned_.nodes[i] == &device_ && unsettled.contains(home->first)) home->second = &device_;
      }
    }
    for (const Update& update : graph_.updates) {
      const NodeId producer = graph_.value(update.value).producer;
      assigned_.variables.try_emplace(update.variable.identity(), producer < 0 ? &device_ : at(producer));
    }
    for (const Value& value : graph_.values()) {
      if (value.kind == Value::Kind::variable) assigned_.variables.try_emplace(value.variable.identity(), &device_);
    }
  }

  const Graph& graph_;
  LogicalDevice& device_;
  Readers readers_;
  DeviceAssignment assigned_;
};

}  // namespace

LogicalDevice* DeviceAssignment::only_device() const {
  LogicalDevice* found = nullptr;
  for (LogicalDevice* const device : nodes) {
    if (found != nullptr && device != found) return nullptr;
    found = device;
  }
  for (const auto& [variable, device] : variables) {
    if (found != nullptr && device != found) return nullptr;
    found = device;
  }
  return found;
}

bool names_other_devices(const Graph& graph, const LogicalDevice& device) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [&](const Node& node) { return node.device != nullptr && node.device != &device; });
}

bool has_distant_variables(const Graph& graph, const LogicalDevice& device) {
  const auto is_distant = [&](const Variable& variable) {
    const LogicalDevice& home = variable.stored_value().device();
    return &home != &device && (home.is_remote() || device.is_remote());
  };
  return std::any_of(
             graph.values().begin(), graph.values().end(),
             [&](const Value& value) { return value.kind == Value::Kind::variable && is_distant(value.variable); }) ||
         std::any_of(graph.updates.begin(), graph.updates.end(),
                     [&](const Update& update) { return is_distant(update.variable); });
}

DeviceAssignment assign_devices(const Graph& graph, LogicalDevice& device) { return Assigner(graph, device).assign(); }

}  // namespace rhyton::graph
