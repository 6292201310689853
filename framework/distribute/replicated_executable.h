#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/collectives.h>

namespace rhyton::distribute {

/// A function compiled once for each replica of this process, and run by all of them at once. A replica's compiled
/// function uses the replica's own copies of the variables; its sums over replicas are `AllReduce` nodes.
class ReplicatedExecutable {
 public:
  /// What one replica is compiled for.
  struct Part {
    ReplicaBatch batch;
    std::vector<graph::FunctionInput> inputs;
  };

  /// `parts`: one per replica. `function_of` returns the function of replica `index`; it is traced as that replica.
  /// `frame_pools`: one for each replica of this process, shared by executables whose runs take turns, as the outputs
  /// of all replicas exist at once; if empty, each replica has memory of its own.
  ReplicatedExecutable(std::shared_ptr<StrategyImpl> strategy, const std::vector<Part>& parts,
                       const std::function<graph::Function(int index)>& function_of, const std::string& name,
                       const std::vector<std::shared_ptr<graph::FramePool>>& frame_pools = {});

  /// Runs all replicas once; `inputs` points to the elements of each one's inputs. Rethrows the exception of a replica;
  /// the variables then keep their old values.
  void run(std::span<const std::vector<const void*>> inputs);
  /// The same on tensors.
  void run_on(std::span<const std::vector<Tensor>> inputs);

  /// Its outputs are valid until another executable of the pool runs.
  const graph::Executable& replica(int index) const { return executables_[static_cast<std::size_t>(index)]; }
  /// The sum over all replicas.
  std::size_t memory_bytes() const;

 private:
  template <class RunOne>
  void run_all(const RunOne& run_one);

  std::shared_ptr<StrategyImpl> strategy_;
  std::vector<graph::Executable> executables_;
  /// The variables that the function reads or writes.
  std::vector<Variable> variables_;
};

}  // namespace rhyton::distribute
