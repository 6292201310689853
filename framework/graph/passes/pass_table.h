#pragma once

#include <span>
#include <string_view>

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {

/// A rewriting of graphs that can be switched off by its name.
struct Pass {
  /// Which graphs it is for.
  enum class Executor {
    /// Graphs that are planned for the host, in slices of the batch.
    host,
    /// Graphs for a device that sees whole tensors.
    stream,
    both,
  };

  /// Several entries of the table may have one name: they are switched off together.
  std::string_view name;
  Executor executor = Executor::both;
  /// The result, for a device that has the kernels of `kernels`.
  Graph (*run)(const Graph& graph, const KernelTable& kernels) = nullptr;
  /// False for what changes no op: it runs with RHYTON_NO_FUSION=1 too.
  bool changes_ops = true;
  /// The kernel without which it does not run on a stream; empty for none.
  std::string_view required_kernel = {};
};

/// All of them, in the order in which they run. Replicas must run `join_reductions` and `bucket_reductions` alike, and
/// dead nodes are removed after each pass: these are not listed, since they cannot be switched off.
std::span<const Pass> pass_table();

}  // namespace rhyton::graph
