#include <rhyton/framework/graph/plan_memory.h>

#include <algorithm>

#include <rhyton/framework/graph/ids.h>
#include <rhyton/framework/graph/reduction_places.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton::graph {

PlanMemory::PlanMemory(const Graph& graph, const BatchAnalysis& batch, const Schedule& schedule,
                       const Lifetimes& lifetimes, Plan& plan)
    : graph_(graph),
      batch_(batch),
      schedule_(schedule),
      lifetimes_(lifetimes),
      plan_(plan),
      places_(graph.values().size()) {}

std::size_t PlanMemory::bytes_of(ValueId id) const {
  const TensorSpec& spec = graph_.value(id).spec;
  return static_cast<std::size_t>(checked_multiply(spec.shape.size(), static_cast<std::int64_t>(size_of(spec.dtype))));
}

// --- Slots

void PlanMemory::place_fixed() {
  assign_slots();
  place_updates();
  place_outputs();
  place_joint_reductions();
}

void PlanMemory::assign_slots() {
  const auto next_slot = [&] { return plan_.slot_count++; };
  for (const ValueId id : graph_.inputs()) {
    plan_.input_slots.push_back(next_slot());
    places_[at(id)].slot = plan_.input_slots.back();
  }
  std::unordered_map<const void*, std::size_t> variable_places;
  // The index in `plan_.variables`.
  const auto variable_place = [&](const Variable& variable) {
    const auto [it, inserted] = variable_places.try_emplace(variable.identity(), plan_.variables.size());
    if (inserted) {
      plan_.variables.emplace_back(next_slot(), variable);
      plan_.variable_written.push_back(false);
    }
    return it->second;
  };
  for (std::size_t i = 0; i < graph_.values().size(); ++i) {
    const Value& value = graph_.values()[i];
    if (value.kind == Value::Kind::constant) {
      places_[i].slot = next_slot();
      plan_.constants.emplace_back(places_[i].slot, value.constant);
    } else if (value.kind == Value::Kind::variable) {
      places_[i].slot = plan_.variables[variable_place(value.variable)].first;
      variable_value_[value.variable.identity()] = static_cast<ValueId>(i);
    }
  }
  for (const Update& update : graph_.updates) {
    const std::size_t place = variable_place(update.variable);
    update_slots_.push_back(plan_.variables[place].first);
    plan_.variable_written[place] = true;
    written_.insert(update.variable.identity());
  }
  for (const ValueId id : graph_.outputs) {
    plan_.output_slots.push_back(next_slot());
    plan_.output_specs.push_back(graph_.value(id).spec);
  }
}

// Computes a new value of a variable directly into its memory if the old value has no reader left.
void PlanMemory::place_updates() {
  for (std::size_t i = 0; i < graph_.updates.size(); ++i) {
    const Update& update = graph_.updates[i];
    const ValueId fresh = root(update.value);
    if (graph_.value(fresh).kind != Value::Kind::computed || places_[at(fresh)].slot >= 0) continue;
    if (const auto old = variable_value_.find(update.variable.identity()); old != variable_value_.end()) {
      if (!may_overwrite_variable(old->second, fresh)) continue;
    }
    places_[at(fresh)].slot = update_slots_[i];
  }
}

bool PlanMemory::may_overwrite_variable(ValueId old, ValueId fresh) const {
  const Lifetime& life = lifetimes_.of(old);
  if (life.is_kept) return false;
  const NodeId producer = graph_.value(fresh).producer;
  const int time = schedule_.time[at(producer)];
  // Slices of a batch are overwritten one by one, after all that reads them: nodes of a phase run in their order.
  const bool in_slices = batch_.is_sliced(producer);
  const auto carries_batch = [&](ValueId id) { return root(id) != root(old) || batch_.axis[at(id)] == 0; };
  const auto reads_slices = [&](NodeId reader) {
    const std::vector<ValueId>& inputs = graph_.node(reader).inputs;
    return std::all_of(inputs.begin(), inputs.end(), carries_batch);
  };
  const bool slice_by_slice = in_slices && batch_.maps(fresh) && batch_.axis[at(old)] == 0;
  return std::all_of(life.readers.begin(), life.readers.end(), [&](NodeId reader) {
    if (schedule_.time[at(reader)] < time) return true;
    if (slice_by_slice && !reads_slices(reader)) return false;
    if (reader == producer) return in_slices == slice_by_slice && may_overwrite_input(producer, old, fresh);
    return slice_by_slice && schedule_.time[at(reader)] == time && reader < producer;
  });
}

// Whether a node's kernel may write `output` to the memory of an input that it reads once or several times.
bool PlanMemory::may_overwrite_input(NodeId id, ValueId input, ValueId output) const {
  const Node& node = graph_.node(id);
  const auto number = static_cast<std::size_t>(graph_.value(output).output);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (root(node.inputs[i]) != root(input)) continue;
    if (!(graph_.value(node.inputs[i]).spec == graph_.value(output).spec)) return false;
    if (!node.op->may_overwrite(i, number)) return false;
  }
  return true;
}

void PlanMemory::place_outputs() {
  for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
    const ValueId id = root(graph_.outputs[i]);
    if (graph_.value(id).kind == Value::Kind::computed && places_[at(id)].slot < 0) {
      places_[at(id)].slot = plan_.output_slots[i];
    }
  }
}

void PlanMemory::place_joint_reductions() {
  const auto has_place = [&](ValueId id) { return places_[at(id)].slot >= 0; };
  for (const JointPlace& joint : place_reductions(graph_, schedule_, lifetimes_, has_place)) {
    const int interval = add_shared(joint.interval.bytes, joint.interval.first, joint.interval.last);
    joint_intervals_.insert(interval);
    for (const auto& [value, offset] : joint.members) {
      places_[at(value)] = {.slot = Plan::shared_slot, .interval = interval, .offset = offset};
    }
  }
}

// --- Arenas

int PlanMemory::add_shared(std::size_t bytes, int first, int last) {
  plan_.shared_intervals.push_back({bytes, first, last});
  return static_cast<int>(plan_.shared_intervals.size()) - 1;
}

void PlanMemory::place_shared(NodeId node, ValueId output, bool may_reuse) {
  Place& place = places_[at(output)];
  if (place.slot >= 0) return;
  const Lifetime& life = lifetimes_.of(output);
  const int time = schedule_.time[at(node)];
  place.slot = Plan::shared_slot;
  if (may_reuse) {
    for (const ValueId input : graph_.node(node).inputs) {
      if (!is_free_for(node, input, output)) continue;
      place.interval = places_[at(root(input))].interval;
      Interval& interval = plan_.shared_intervals[static_cast<std::size_t>(place.interval)];
      interval.last = std::max(interval.last, life.last_time);
      reuse_times_[place.interval] = time;
      return;
    }
  }
  place.interval = add_shared(bytes_of(output), time, life.last_time);
}

// Whether the output may take the input's memory in the shared arena: nothing else needs it any more.
bool PlanMemory::is_free_for(NodeId node, ValueId input, ValueId output) const {
  const ValueId id = root(input);
  const Place& from = places_[at(id)];
  if (from.slot != Plan::shared_slot || !has_interval_alone(from) || bytes_of(id) != bytes_of(output)) return false;
  if (!may_overwrite_input(node, input, output)) return false;
  const int time = schedule_.time[at(node)];
  const Lifetime& life = lifetimes_.of(id);
  if (life.is_kept || life.last_time > time || is_reused_at(from.interval, time)) return false;
  return std::none_of(life.readers.begin(), life.readers.end(),
                      [&](NodeId reader) { return reader != node && schedule_.time[at(reader)] == time; });
}

// True when an interval has already been reused at this time, so that a second output must not take it too.
bool PlanMemory::is_reused_at(int interval, int time) const {
  const auto it = reuse_times_.find(interval);
  return it != reuse_times_.end() && it->second >= time;
}

void PlanMemory::place_local(NodeId node, ValueId output, int position, std::size_t bytes,
                             std::vector<Interval>& intervals) {
  const std::vector<ValueId>& outputs = graph_.node(node).outputs;
  Place& place = places_[at(output)];
  place.slot = Plan::worker_slot;
  place.worker = true;
  const int last = lifetimes_.of(output).last_position;
  const auto is_taken = [&](int interval) {
    return std::any_of(outputs.begin(), outputs.end(), [&](ValueId other) {
      return other != output && places_[at(other)].worker && places_[at(other)].interval == interval;
    });
  };
  for (const ValueId input : graph_.node(node).inputs) {
    const ValueId id = root(input);
    const Place& from = places_[at(id)];
    if (!from.worker || !may_overwrite_input(node, input, output)) continue;
    // Only a value of this phase: intervals of another one are unrelated.
    const Lifetime& life = lifetimes_.of(id);
    if (life.last_position != position || !life.is_local || is_taken(from.interval)) continue;
    place.interval = from.interval;
    Interval& interval = intervals[static_cast<std::size_t>(from.interval)];
    interval.last = std::max(interval.last, last);
    return;
  }
  intervals.push_back({bytes, position, last});
  place.interval = static_cast<int>(intervals.size()) - 1;
}

void PlanMemory::set_local_offsets(const Phase& phase, const ArenaLayout& layout) {
  for (const NodeId id : phase.nodes) {
    for (const ValueId output : graph_.node(id).outputs) {
      const Place& place = places_[at(output)];
      if (place.worker) local_offsets_[output] = layout.offsets[static_cast<std::size_t>(place.interval)];
    }
  }
}

void PlanMemory::lay_out_shared(std::size_t alignment) {
  plan_.shared_layout = lay_out(plan_.shared_intervals, alignment);
  plan_.shared_bytes = plan_.shared_layout.bytes;
}

Operand PlanMemory::operand_of(ValueId value, std::int64_t parts) const {
  const ValueId id = root(value);
  const Place& place = places_[at(id)];
  Operand operand;
  operand.slot = place.slot;
  if (place.worker) {
    operand.offset = local_offsets_.at(id);
    return operand;
  }
  if (place.slot == Plan::shared_slot) operand.offset = shared_offset(place.interval) + place.offset;
  if (parts > 0) operand.sample_stride = bytes_of(value) / static_cast<std::size_t>(parts);
  return operand;
}

// --- Copies at the end

// An update whose value is another variable's old value has to be saved before that variable is written.
void PlanMemory::place_staging() {
  for (std::size_t i = 0; i < graph_.updates.size(); ++i) {
    const ValueId id = root(graph_.updates[i].value);
    const bool is_old = graph_.value(id).kind == Value::Kind::variable && places_[at(id)].slot != update_slots_[i];
    staged_.push_back(is_old ? add_shared(bytes_of(id), schedule_.end_time, schedule_.end_time) : -1);
  }
}

void PlanMemory::finish_copies() {
  for (std::size_t i = 0; i < graph_.updates.size(); ++i) {
    const ValueId id = root(graph_.updates[i].value);
    const Operand from = operand_of(graph_.updates[i].value, 0);
    const Operand to{update_slots_[i], 0, 0, 0};
    if (from.slot == to.slot) continue;
    if (staged_[i] >= 0) {
      const Operand stage{Plan::shared_slot, shared_offset(staged_[i]), 0, 0};
      plan_.staging.push_back({from, stage, bytes_of(id)});
      plan_.copies.push_back({stage, to, bytes_of(id)});
    } else {
      plan_.copies.push_back({from, to, bytes_of(id)});
    }
  }
  // An output that is a variable's old value is copied before the variable changes.
  for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
    const ValueId id = root(graph_.outputs[i]);
    const Operand from = operand_of(graph_.outputs[i], 0);
    if (from.slot != plan_.output_slots[i]) {
      plan_.staging.push_back({from, {plan_.output_slots[i], 0, 0, 0}, bytes_of(id)});
    }
  }
}

}  // namespace rhyton::graph
