#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/passes/optimize.h>
#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/tensor/variable_values.h>

namespace rhyton::graph {

class HostExecutor;
class RunFrame;

/// Fields that steer how a graph becomes an Executable.
struct ExecutableOptions {
  PassOptions passes = {};
  PlanOptions plan = {};
  /// What profiles call it.
  std::string name = "function";
  /// Where it runs, but for nodes that name another device; null: where ops run when it is made.
  LogicalDevice* device = nullptr;
};

/// A graph made ready to run: its kernels bound, all memory planned, nothing looked up, allocated or locked while it
/// runs.
///
/// What does not change while it runs, kernels, plan and tables, is apart from what does: arenas, outputs and base
/// addresses are a *run frame*. `run`, `output` and `operator()` use a frame of the executable's own, so that one
/// thread at a time may call them; `lease` gives further ones, on which any number of threads run it side by side.
///
/// On a GPU a run is only begun when `run` returns: whoever reads an output or a variable waits for it. Variables of
/// the graph that are on another device move to this one at the next run.
///
/// Nodes that name a device run there, and others with them (device_assignment.h). Where that makes several devices,
/// the graph is run in parts (placed_executor.h): outputs are where they were computed, variables where they are read.
///
/// With `RHYTON_LOG=plan` in the environment its plan is printed to standard error; with `RHYTON_CHECK_PLAN=1`, or
/// `plan.check`, memory whose last reader is done is written over with NaN. While a profiler runs
/// (framework/profiler/profiler.h), it reports the time of everything it does.
class Executable {
 public:
  explicit Executable(const Graph& graph, const ExecutableOptions& options = {});
  ~Executable();
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;

  /// Runs it once. `inputs` points to the elements of each input, of the shape and dtype it was traced with. Allocates
  /// nothing after the first call. Rethrows what a kernel throws; variables then keep their old values.
  void run(std::span<const void* const> inputs);

  /// The same on tensors, which are copied where they are on another device. Throws ValueError when there are too many
  /// or too few.
  void run_on(std::span<const Tensor> inputs);

  /// An output of the last run; the next run writes over it.
  const Tensor& output(std::size_t index) const;

  /// Runs it once on tensors and copies the outputs. Throws ValueError when a shape or dtype is not the traced one.
  std::vector<Tensor> operator()(const std::vector<Tensor>& inputs);

  /// The graph after the passes.
  const Graph& graph() const;
  /// On several devices: the phases of all parts, one after the other, with the addresses of their parts.
  const Plan& plan() const;
  /// Where it runs; on several devices, where nodes do that follow no others.
  LogicalDevice& device() const;
  /// Bytes of the arenas that exist now, of all frames. May be asked for while other threads run it on leased frames.
  std::size_t memory_bytes() const;

  /// Whether it runs on the host alone.
  bool is_on_host() const;
  /// The variables that a run assigns.
  const std::vector<Variable>& assigned_variables() const;

  /// A run frame, for one thread at a time, until it is destroyed. It must not outlive the executable.
  class Lease {
   public:
    /// An empty one.
    Lease() = default;
    ~Lease();
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&& other) noexcept;

    /// As `Executable::run`: variables are read where they lie and written in place, which the caller keeps others off
    /// (`StepMutex`).
    void run(std::span<const void* const> inputs);
    /// Takes the values that the variables have now for the next `run_taken`; the caller holds `step_mutex()` alone.
    /// Variables that a run assigns must be own values in `own`, which gets what is assigned.
    void take_variables(VariableValues* own = nullptr);
    /// The same with the values that the frame's last run had taken, where nobody has assigned the variables since;
    /// else does nothing and gives false. The caller holds nothing: what it takes are the values at the time of the
    /// call, or those before a step that was under way then.
    bool take_variables_again(VariableValues* own = nullptr);
    /// Runs it on the values that were taken, whatever other threads do with the variables.
    void run_taken(std::span<const void* const> inputs);
    /// Those of the last run; the next one writes over them.
    const std::vector<Tensor>& outputs() const;

   private:
    friend class Executable;
    Lease(HostExecutor& executor, std::size_t inputs);
    void require_inputs(std::size_t count) const;

    HostExecutor* executor_ = nullptr;
    RunFrame* frame_ = nullptr;
    std::size_t inputs_ = 0;
  };
  /// A frame of its own: one that was given back, else a new one, which is kept afterwards. May be called by several
  /// threads. Throws RuntimeError where it does not run on the host alone: its runs take turns there.
  Lease lease();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rhyton::graph
