#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <rhyton/framework/graph/frame_memory.h>
#include <rhyton/framework/graph/host_program.h>
#include <rhyton/framework/graph/plan_timer.h>
#include <rhyton/framework/graph/variable_snapshots.h>
#include <rhyton/framework/graph/worker.h>
#include <rhyton/framework/tensor/kept_values.h>
#include <rhyton/framework/tensor/variable_values.h>

namespace rhyton::graph {

class FramePool;
struct ProgramFrames;

/// The state that a run on the host changes: arenas, outputs, base addresses, packed weights. It is kept from run to
/// run, and used by one thread at a time.
class RunFrame {
 public:
  /// A frame of the program of `frames`. Both must outlive it.
  RunFrame(ProgramFrames& frames, FramePool& pool);

  /// Runs the program once and writes its variables in place. The caller keeps other threads off them (`StepMutex`).
  void run(std::span<const void* const> inputs);

  /// Takes the values of the variables for `run_taken`. Variables that the program assigns must be own values in `own`,
  /// which then get what it assigns. The caller holds `step_mutex()` alone.
  void take_variables(VariableValues* own);
  /// The same with the values of the last run, if the variables still have them; returns false if they have not. Needs
  /// no lock.
  bool take_variables_again(VariableValues* own);
  /// Runs the program once on the values that were taken, while other threads run it or change the variables.
  void run_taken(std::span<const void* const> inputs);

  /// Those of the last run; valid until the frame is given back.
  const std::vector<Tensor>& outputs() const { return outputs_; }
  /// The bytes that it needs while it runs. May be called by any thread.
  std::size_t memory_bytes() const { return bytes_.load(std::memory_order_relaxed); }

  /// For the pool: the memory that it has, null for none.
  FrameMemory* memory() const { return memory_; }
  void set_memory(FrameMemory* memory);
  /// The bytes of memory that a run needs.
  std::size_t needed_bytes() const;
  /// Places the outputs in the memory, where they are not there yet.
  void place_outputs();

  /// For the pool, which holds its mutex: packed weights of the current versions of the variables.
  void note_needed_versions();
  void drop_outdated_packed_weights();
  void drop_packed_weights();
  void get_packed_weights();
  void share_packed_weights();

  /// For the run.
  Worker& worker(int number) { return workers_[static_cast<std::size_t>(number)]; }
  std::byte* shared_arena() { return memory_->shared(); }
  /// Whether the packed weights of a call are those of this run already.
  bool is_packed(std::size_t phase, std::size_t call) const;
  /// To be called when the weights of a call have been packed.
  void note_packed(std::size_t phase, std::size_t call);

 private:
  /// Packed weights in use by this frame.
  struct PackedUse {
    std::shared_ptr<PackedCopy> copy;
    /// The version that this run needs.
    std::uint64_t version = 0;
    /// Whether the copy has it. Calls of one wave set theirs at the same time.
    bool is_packed = false;
  };

  void use(std::shared_ptr<const VariableSnapshot> taken, VariableValues* own);
  void move_variables();
  void prepare(int worker_count);
  void set_bases(std::span<const void* const> inputs);
  void run_prepared(std::span<const void* const> inputs);
  bool find_packed_weights();
  const Plan& plan() const { return program_.plan(); }

  const HostProgram& program_;
  ProgramFrames& frames_;
  FramePool& pool_;
  FrameMemory* memory_ = nullptr;
  std::vector<Tensor> outputs_;
  std::size_t output_bytes_ = 0;
  std::vector<Worker> workers_;
  // How many of the workers have their arena in the memory.
  int prepared_workers_ = 0;
  // Per `HostProgram::kept_packings`.
  std::vector<PackedUse> packed_;
  // Per variable of the plan: its version, and the address of its elements in this run.
  std::vector<std::uint64_t> versions_;
  std::vector<void*> variables_;
  // Holds the values that were taken during the run; between runs, until a variable is written.
  std::shared_ptr<const VariableSnapshot> taken_;
  KeptValues kept_;
  // Made by the first run that is profiled.
  std::unique_ptr<PlanTimer> timer_;
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace rhyton::graph
