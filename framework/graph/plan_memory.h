#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/lifetimes.h>
#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/graph/schedule.h>

namespace rhyton::graph {

/// Where the values of a graph are while its plan runs: decides slots, intervals of the arenas, and which values share
/// memory, and writes them to the plan.
class PlanMemory {
 public:
  /// All of them must outlive it.
  PlanMemory(const Graph& graph, const BatchAnalysis& batch, const Schedule& schedule, const Lifetimes& lifetimes,
             Plan& plan);

  /// Gives slots to inputs, constants, variables and outputs, and places what is computed directly into the memory of a
  /// variable or an output, or for a sum over replicas.
  void place_fixed();

  /// Whether only a chunk of the value exists, under these lifetimes.
  bool is_local(ValueId id, const Lifetimes& lifetimes) const {
    return lifetimes.of(id).is_local && places_[static_cast<std::size_t>(id)].slot < 0;
  }
  bool is_local(ValueId id) const { return is_local(id, lifetimes_); }
  /// Whether the plan writes the variable.
  bool is_written(const Variable& variable) const { return written_.contains(variable.identity()); }

  /// Reserves memory in the shared arena between two points of time; returns the number of the interval.
  int add_shared(std::size_t bytes, int first, int last);
  /// Places an output in the shared arena unless it has a place: in memory of its own, or if `may_reuse`, in that of an
  /// input that is no longer needed.
  void place_shared(NodeId node, ValueId output, bool may_reuse);
  /// Places a local output of the node at `position` of a sliced phase in the worker's arena, whose intervals these
  /// are.
  void place_local(NodeId node, ValueId output, int position, std::size_t bytes, std::vector<Interval>& intervals);
  /// Takes the offsets of a phase's local values from the layout of those intervals.
  void set_local_offsets(const Phase& phase, const ArenaLayout& layout);

  /// Reserves memory for old values of variables that are copied before they are overwritten.
  void place_staging();
  /// Lays out the shared arena. Afterwards nothing can be placed, and addresses are known.
  void lay_out_shared(std::size_t alignment);
  std::size_t shared_offset(int interval) const {
    return plan_.shared_layout.offsets[static_cast<std::size_t>(interval)];
  }
  /// `parts`: the number of equal parts of the first axis, of which a call gets some; 0 for whole tensors.
  Operand operand_of(ValueId value, std::int64_t parts) const;
  /// Lists the copies to variables and outputs.
  void finish_copies();

  ValueId root(ValueId id) const { return lifetimes_.root[static_cast<std::size_t>(id)]; }
  /// Throws on overflow.
  std::size_t bytes_of(ValueId id) const;

 private:
  // The location of a root value. `interval` is an index into the intervals of the arena that `slot` selects.
  struct Place {
    int slot = -1;
    int interval = -1;
    bool worker = false;
    // Within the interval.
    std::size_t offset = 0;
  };

  void assign_slots();
  void place_updates();
  void place_outputs();
  void place_joint_reductions();
  bool may_overwrite_variable(ValueId old, ValueId fresh) const;
  bool may_overwrite_input(NodeId id, ValueId input, ValueId output) const;
  bool is_free_for(NodeId node, ValueId input, ValueId output) const;
  bool has_interval_alone(const Place& place) const { return !joint_intervals_.contains(place.interval); }
  bool is_reused_at(int interval, int time) const;

  const Graph& graph_;
  const BatchAnalysis& batch_;
  const Schedule& schedule_;
  const Lifetimes& lifetimes_;
  Plan& plan_;
  std::vector<Place> places_;
  std::unordered_map<const void*, ValueId> variable_value_;
  std::vector<int> update_slots_;
  std::unordered_set<const void*> written_;
  // Per update: the interval of its copy, or -1.
  std::vector<int> staged_;
  // Intervals that contain several values.
  std::unordered_set<int> joint_intervals_;
  std::unordered_map<int, int> reuse_times_;
  std::unordered_map<ValueId, std::size_t> local_offsets_;
};

}  // namespace rhyton::graph
