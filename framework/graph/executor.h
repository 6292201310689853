#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <rhyton/framework/graph/executable_options.h>
#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/plan.h>

namespace rhyton::graph {

class RunFrame;

/// Runs a compiled graph. HostExecutor runs it on the host, StreamExecutor on a device with a stream, PlacedExecutor on
/// several devices.
class Executor {
 public:
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// The graph after the passes.
  virtual const Graph& graph() const = 0;
  virtual const Plan& plan() const = 0;
  virtual LogicalDevice& device() const = 0;

  /// Runs it once on elements in host memory, one pointer for each input of the graph. They may be overwritten when the
  /// call returns. One thread at a time.
  virtual void run(std::span<const void* const> inputs) = 0;
  /// The same on tensors, which are copied where they are on another device.
  virtual void run(std::span<const Tensor> inputs) = 0;
  /// The outputs of the last `run`; the next one overwrites them.
  virtual const std::vector<Tensor>& outputs() = 0;

  /// Bytes of the memory that its runs need, except for variables. May be called while leased frames run.
  virtual std::size_t memory_bytes() const = 0;

  /// Whether `lease` returns frames: only on the host.
  virtual bool has_run_frames() const { return false; }
  /// A run frame that no other thread uses, until `give_back`. May be called by several threads. Throws RuntimeError
  /// where `has_run_frames` is false.
  virtual RunFrame& lease();
  /// Takes back a frame that `lease` returned.
  virtual void give_back(RunFrame& frame);

 protected:
  Executor() = default;
};

/// Compiles the graph and selects the executor: by the devices that its nodes name, else by the type of
/// `options.device`.
std::unique_ptr<Executor> make_executor(const Graph& graph, const ExecutableOptions& options);

}  // namespace rhyton::graph
