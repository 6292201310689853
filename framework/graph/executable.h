#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/passes/optimize.h>
#include <rhyton/framework/graph/plan.h>

namespace rhyton::graph {

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
/// runs. One thread at a time may run one; several may run at once.
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
  /// Bytes of the arenas that exist now.
  std::size_t memory_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rhyton::graph
