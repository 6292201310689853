#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/frames.h>
#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/graph/plan_timer.h>
#include <rhyton/framework/tensor/kept_values.h>
#include <rhyton/framework/tensor/variable_values.h>
#include <rhyton/framework/threading/thread_pool.h>

namespace rhyton::graph {

/// The values that the variables of a plan had at one time, for runs that began then: one for all of them, since
/// threads that count the handles of the same tensors up and down slow each other down.
struct TakenVariables {
  std::vector<Tensor> values;
  /// Of all variables; the address is null where the plan assigns the variable.
  std::vector<void*> addresses;
  std::vector<std::uint64_t> versions;
};

/// What one run of a plan on the host needs beside the plan: arenas, outputs, base addresses, and the copies of weights
/// in another layout. It is kept from run to run, and used by one thread at a time.
class RunFrame {
 public:
  RunFrame(const Plan& plan, LogicalDevice& device);

  const std::vector<Tensor>& outputs() const { return outputs_; }
  /// Of the arenas that it has by now. May be asked for while it is used.
  std::size_t memory_bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  friend class HostExecutor;

  void prepare(const Plan& plan, int worker_count);

  std::vector<Tensor> outputs_;
  std::shared_ptr<Storage> shared_arena_;
  // Per worker: its arena, its table of base addresses and its views.
  std::vector<Worker> workers_;
  // Per phase and call: what the versions of the packed weights added up to when they were packed.
  std::vector<std::vector<std::uint64_t>> packed_versions_;
  // Per variable of the plan: its version and the address of its elements in this run.
  std::vector<std::uint64_t> versions_;
  std::vector<void*> variables_;
  // Keeps the elements where they were taken, for the run; and between runs, unless somebody writes variables.
  std::shared_ptr<const TakenVariables> taken_;
  KeptValues kept_;
  // Made by the first run that is profiled.
  std::unique_ptr<PlanTimer> timer_;
  std::atomic<std::size_t> bytes_{0};
};

/// Carries out a plan on the host. The executor itself does not change: any number of threads may run it, each on a
/// frame of its own.
class HostExecutor {
 public:
  /// `plan` must outlive it. `check`: writes NaN over memory whose last reader is done.
  HostExecutor(const Plan& plan, LogicalDevice& device, std::string name, bool check);

  /// A frame that nobody uses: one that was given back last, since it is in the caches, else a new one. It stays the
  /// executor's.
  RunFrame& lease();
  void give_back(RunFrame& frame);

  /// Runs the plan once and writes its variables in place. The caller keeps others off them (`StepMutex`).
  void run(RunFrame& frame, std::span<const void* const> inputs);

  /// Takes the values of the variables for `run_taken`; those that the plan assigns must be own values in `own`, which
  /// then get what it assigns. The caller holds `step_mutex()` alone.
  void take_variables(RunFrame& frame, VariableValues* own);
  /// The same with the values that the frame's last run had taken, where the variables still have them: false where
  /// they have not. Needs no lock: equal versions tell that at the time of the call no step had begun to write.
  bool take_variables_again(RunFrame& frame, VariableValues* own);
  /// Runs the plan once on the values that were taken, beside other threads that run it or change the variables.
  void run_taken(RunFrame& frame, std::span<const void* const> inputs);

  /// Of all frames.
  std::size_t memory_bytes() const;

 private:
  std::shared_ptr<const TakenVariables> taken_variables();
  bool are_current(const std::vector<std::uint64_t>& versions) const;
  void use(std::shared_ptr<const TakenVariables> taken, RunFrame& frame, VariableValues* own);
  void list_tasks();
  void move_variables();
  void set_bases(RunFrame& frame, std::span<const void* const> inputs);
  void run_prepared(RunFrame& frame, std::span<const void* const> inputs);
  template <class Times>
  void run_phases(RunFrame& frame, threading::ThreadPool& pool, Times&& times);
  template <class Times>
  void run_sliced(RunFrame& frame, threading::ThreadPool& pool, std::size_t p, Times& times);
  template <class Times>
  void run_slice(RunFrame& frame, std::size_t p, std::int64_t slice, int worker, Times& times);
  template <class Times>
  void run_whole(RunFrame& frame, threading::ThreadPool& pool, std::size_t p, Times& times);
  std::uint64_t versions_of(const RunFrame& frame, std::size_t p, std::size_t call) const;
  bool is_packed(const RunFrame& frame, std::size_t p, std::size_t call) const;
  template <class Times>
  void pack(RunFrame& frame, threading::ThreadPool& pool, std::size_t p, std::size_t wave, bool parallel, Times& times);
  template <class Times>
  void copy(RunFrame& frame, const std::vector<Copy>& copies, std::size_t first, Times& times);
  void expire_shared(RunFrame& frame, int time);

  const Plan& plan_;
  LogicalDevice& device_;
  std::string name_;
  bool check_;
  // Whether anything is done by more than the thread that runs it.
  bool is_parallel_ = false;
  // Per phase: which reduction and block each task of the final sums has.
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> reduction_tasks_;
  // Per phase and wave: which call and piece each task has.
  std::vector<std::vector<std::vector<std::pair<std::size_t, std::int64_t>>>> wave_tasks_;
  // Per phase and wave (one for a sliced phase): the calls that first want their weights in another layout.
  std::vector<std::vector<std::vector<std::size_t>>> packing_calls_;
  // Per phase and call: which of the plan's variables its packed weights are made of.
  std::vector<std::vector<std::vector<std::size_t>>> packed_from_;

  // What the runs under way have taken; whoever holds `step_mutex()` alone looks at it.
  std::weak_ptr<const TakenVariables> latest_taken_;

  mutable std::mutex frames_mutex_;
  std::vector<std::unique_ptr<RunFrame>> frames_;
  // The one given back last is last.
  std::vector<RunFrame*> idle_frames_;
};

}  // namespace rhyton::graph
