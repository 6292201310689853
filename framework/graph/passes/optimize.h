#pragma once

#include <initializer_list>
#include <set>
#include <string_view>

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {

/// Which passes of `pass_table` run: all but those that are switched off, here or by naming them in the environment
/// variable RHYTON_DISABLE_PASSES ("fuse_max_pooling,fold_constants"); `RHYTON_NO_FUSION=1` switches off those that
/// change ops.
class PassOptions {
 public:
  /// All passes.
  PassOptions() = default;

  /// All passes but these. Throws InvalidArgumentError for a name that no pass has, as the functions below.
  static PassOptions without(std::initializer_list<std::string_view> names);
  /// The passes that change no op.
  static PassOptions without_fusion();
  /// The passes that change no op, and these.
  static PassOptions only(std::initializer_list<std::string_view> names);

  bool runs(std::string_view name) const { return !switched_off_.contains(name); }

 private:
  /// Views of names in `pass_table`.
  std::set<std::string_view> switched_off_;
};

/// Runs the passes for a graph that is planned for the host.
Graph optimize(const Graph& graph, const PassOptions& options = {});

/// Runs the passes for a device whose kernels are in `kernels` and see whole tensors.
Graph optimize_for(const Graph& graph, const KernelTable& kernels, const PassOptions& options = {});

}  // namespace rhyton::graph
