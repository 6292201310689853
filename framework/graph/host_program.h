#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/packed_weights.h>
#include <rhyton/framework/graph/program.h>

namespace rhyton::graph {

/// Packed weights that are kept from run to run: `PlannedCall::packed_from` is not empty.
struct KeptPacking {
  int slot = 0;
  PackingKey key;
  /// The indices, in `Plan::variables`, of the variables that they are made from.
  std::vector<std::size_t> variables;
};

/// A program with the tables that its runs on the host read. It does not change: any number of threads may run it, each
/// on a run frame.
struct HostProgram {
  /// A task of a wave: the call, and the piece of it. A task of the reductions of a phase: the reduction, and the block
  /// of it.
  using Task = std::pair<std::size_t, std::int64_t>;

  explicit HostProgram(Program program);

  const Plan& plan() const { return program.plan; }

  Program program;
  /// Whether more than one thread works in a run.
  bool is_parallel = false;
  /// Per phase.
  std::vector<std::vector<Task>> reduction_tasks;
  /// Per phase and wave.
  std::vector<std::vector<std::vector<Task>>> wave_tasks;
  /// Per phase and wave (one for a sliced phase): the calls that are the first to need their packed weights.
  std::vector<std::vector<std::vector<std::size_t>>> packing_calls;
  std::vector<KeptPacking> kept_packings;
  /// Per phase and call: the index in `kept_packings`; -1 for calls whose weights are packed in each run, or not at
  /// all.
  std::vector<std::vector<int>> kept_packing_of;

 private:
  void list_packing(const PlannedPhase& phase);
  KeptPacking kept_packing(const PlannedCall& call) const;
};

}  // namespace rhyton::graph
