#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/graph/executable_options.h>
#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/tensor/variable_values.h>

namespace rhyton::graph {

class Executor;
class RunFrame;

/// A compiled function: a graph with its kernels, memory and order planned. A run looks up, allocates and locks
/// nothing.
///
/// What does not change in a run, the *program* (graph, plan and tables), is separate from what does, the *run frame*
/// (arenas, outputs and base addresses). `run`, `output` and `operator()` use a frame of the executable, so one thread
/// at a time may call them; `lease` returns further frames, on which any number of threads can run it.
///
/// On a GPU the work may be under way when `run` returns: reading an output or a variable waits for it. Variables of
/// the graph that are on another device are moved to this one by the next run.
///
/// Nodes that name a device run there, and nodes that depend on them follow (device_assignment.h). If that makes
/// several devices, the graph is run in parts (placed_executor.h): outputs are on the device that computed them,
/// variables on the device that reads them.
///
/// `RHYTON_LOG=plan` in the environment prints the plan to standard error. With `RHYTON_CHECK_PLAN=1`, or `plan.check`,
/// memory is overwritten with NaN after its last reader. While a profiler runs (framework/profiler/profiler.h), all
/// work is measured.
class Executable {
 public:
  /// Compiles the graph. Throws NotImplementedError for an op without a kernel.
  explicit Executable(const Graph& graph, const ExecutableOptions& options = {});
  ~Executable();
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;

  /// Runs it once. `inputs` points to the elements of each input, of the shape and dtype it was traced with. Allocates
  /// nothing after the first call. Throws ValueError when there are too many or too few inputs, and what a kernel
  /// throws; variables then keep their old values.
  void run(std::span<const void* const> inputs);

  /// The same on tensors, which are copied where they are on another device.
  void run_on(std::span<const Tensor> inputs);

  /// An output of the last run; the next run overwrites it.
  const Tensor& output(std::size_t index) const;

  /// Runs it once on tensors and copies the outputs. Throws ValueError when a shape or dtype is not the traced one.
  std::vector<Tensor> operator()(const std::vector<Tensor>& inputs);

  /// The graph after the passes.
  const Graph& graph() const;
  /// On several devices: the phases of all parts, one after the other, with the addresses of their parts.
  const Plan& plan() const;
  /// The device that it runs on; on several devices, that of the nodes that follow no others.
  LogicalDevice& device() const;
  /// Bytes of the memory that its runs need: the arenas and outputs of all run frames. Executables of one pool of
  /// frames share this memory. May be called while other threads run it on leased frames.
  std::size_t memory_bytes() const;

  /// Whether it runs on the host alone.
  bool is_on_host() const;
  /// The variables that a run assigns.
  const std::vector<Variable>& assigned_variables() const { return assigned_; }

  /// A run frame, for one thread at a time, until it is destroyed. It must not outlive the executable.
  class Lease {
   public:
    /// An empty one.
    Lease() = default;
    ~Lease();
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&& other) noexcept;

    /// As `Executable::run`: variables are read and written in place, and the caller keeps other threads off them
    /// (`StepMutex`).
    void run(std::span<const void* const> inputs);
    /// Takes the values that the variables have now for the next `run_taken`; the caller holds `step_mutex()` alone.
    /// Variables that a run assigns must be own values in `own`, which gets what is assigned.
    void take_variables(VariableValues* own = nullptr);
    /// The same with the values of the frame's last run, if the variables still have them; else does nothing and
    /// returns false. The caller holds no lock: the values are those at the time of the call, or those before a step
    /// that was running then.
    bool take_variables_again(VariableValues* own = nullptr);
    /// Runs it on the values that were taken, while other threads run it or change the variables.
    void run_taken(std::span<const void* const> inputs);
    /// Those of the last run; the next one overwrites them. Valid as long as the lease.
    const std::vector<Tensor>& outputs() const;

   private:
    friend class Executable;
    Lease(Executor& executor, std::size_t inputs);
    void require_inputs(std::size_t count) const;

    Executor* executor_ = nullptr;
    RunFrame* frame_ = nullptr;
    std::size_t inputs_ = 0;
  };
  /// A frame that no other thread uses: one that was given back, else a new one, which is kept. May be called by
  /// several threads. Throws RuntimeError where it does not run on the host alone: its runs take turns there.
  Lease lease();

 private:
  void require_inputs(std::size_t count) const;

  std::unique_ptr<Executor> executor_;
  std::vector<Variable> assigned_;
};

}  // namespace rhyton::graph
