#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/graph/arena_layout.h>
#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {

/// The address of a tensor while a plan runs: `slots[slot] + offset + first_sample * sample_stride + slice *
/// slice_stride`.
struct Operand {
  int slot = 0;
  std::size_t offset = 0;
  /// Bytes from one sample (in a phase of whole tensors: row) to the next, 0 where the operand does not depend on the
  /// slice.
  std::size_t sample_stride = 0;
  /// Bytes from the partial sum of one slice to that of the next.
  std::size_t slice_stride = 0;
};

/// One call of a kernel, with everything fixed except the base addresses.
struct PlannedCall {
  NodeId node = -1;
  OpPtr op;
  const Kernel* kernel = nullptr;
  /// True when the plan's device has no kernel for this op: it is called on the host, with copies.
  bool on_host = false;
  /// The inputs, then the outputs, as whole tensors; those marked in `cut` are passed one slice at a time.
  std::vector<Operand> operands;
  std::vector<TensorSpec> specs;
  std::vector<bool> cut;
  std::size_t input_count = 0;
  /// Scratch memory, and its bytes for one piece.
  Operand workspace;
  std::size_t workspace_bytes = 0;
  std::optional<Operand> packed;
  /// Whether this call has its packed weights made; else an earlier call has, which uses the same.
  bool packs = false;
  /// The variables that the packed weights are made from, if the plan does not write them: then `packed` has a slot of
  /// its own, and the packed weights are kept from run to run and renewed when one of the variables was assigned.
  std::vector<Variable> packed_from;
  std::size_t packed_bytes = 0;
  /// What the layout of packed weights that do not depend on the batch depends on, beside kernel and bytes. Equal for
  /// batches of all sizes.
  std::string packed_layout;
  /// Whether any of its outputs is a sum over slices.
  bool sums = false;
  /// In a sliced phase: rows of the first axis per sample, in all operands that are cut.
  std::int64_t rows_per_sample = 1;
  /// In a phase of whole tensors: the number of pieces that the call is divided into, the axis of its rows, which has
  /// only axes of length 1 before it, and the number of rows.
  std::int64_t pieces = 1;
  int row_axis = 0;
  std::int64_t rows = 1;
  /// The kernel defines the pieces itself.
  bool split_by_kernel = false;
};

/// Adds the slices' partial sums, in the order of the slices.
struct Reduction {
  Operand partials;
  std::int64_t elements = 0;
  DType dtype = DType::float32;
  Operand result;
};

/// A run of calls between two barriers.
struct PlannedPhase {
  bool sliced = false;
  /// False when the phase is too short to be worth waking other threads.
  bool parallel = true;
  std::vector<PlannedCall> calls;
  /// For whole tensors: indices into `calls`.
  std::vector<std::vector<std::size_t>> waves;
  std::vector<bool> wave_parallel;
  std::vector<Reduction> reductions;
};

/// Bytes to be copied once everything has been computed.
struct Copy {
  Operand from;
  Operand to;
  std::size_t bytes = 0;
};

/// A range of an arena that the checking mode overwrites with NaN after its last reader.
struct Expiry {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// Options of the planner.
struct PlanOptions {
  /// The maximum number of slices of a batch; 0 leaves it to the planner.
  std::int64_t slices = 0;
  /// The maximum number of samples in a chunk; 0 leaves it to the planner.
  std::int64_t samples_per_chunk = 0;
  /// Adds the data of the checking mode.
  bool check = false;
  /// The device that the plan is for; null for the host. On a device with a stream the ops run one by one on whole
  /// tensors.
  LogicalDevice* device = nullptr;
};

/// The input of an Executable: kernels, addresses and the order of both.
struct Plan {
  // The slots: the shared arena, the arena of the worker, then inputs, constants, variables, outputs and packed weights
  // that are kept.
  static constexpr int shared_slot = 0;
  static constexpr int worker_slot = 1;

  std::int64_t batch = 0;
  std::int64_t slice_size = 0;
  std::int64_t slices = 1;
  std::int64_t chunk = 1;

  std::size_t shared_bytes = 0;
  std::size_t worker_bytes = 0;

  int slot_count = 2;
  std::vector<int> input_slots;
  std::vector<std::pair<int, Tensor>> constants;
  std::vector<std::pair<int, Variable>> variables;
  std::vector<bool> variable_written;
  std::vector<int> output_slots;
  std::vector<TensorSpec> output_specs;

  std::vector<PlannedPhase> phases;
  /// On a device with a stream: every tensor has memory of its own, so that calls which do not depend on each other may
  /// run concurrently.
  bool is_spread = false;
  /// First all of `staging`, then all of `copies`.
  std::vector<Copy> staging;
  std::vector<Copy> copies;

  // For the checking mode and the tests: the intervals that were laid out, and the expiries.
  std::vector<Interval> shared_intervals;
  ArenaLayout shared_layout;
  /// Per point of time of the schedule: ranges of the shared arena that are unused afterwards.
  std::vector<std::vector<Expiry>> shared_expiries;
  /// Per phase and call: ranges of the worker's arena that are unused afterwards.
  std::vector<std::vector<std::vector<Expiry>>> worker_expiries;
  std::vector<int> phase_first_time;

  /// Phases and calls, each with its operations in one step and the bytes of operands that it accesses, in a cache or
  /// in memory; the last line is their sum.
  std::string to_string() const;
};

/// Chooses order, slices and addresses for a graph. Throws NotImplementedError for an op without a kernel.
Plan make_plan(const Graph& graph, const PlanOptions& options = {});

}  // namespace rhyton::graph
