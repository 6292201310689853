#pragma once

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {

/// Which passes run. Each can be disabled to find a fault: here, or by naming it in the environment variable
/// RHYTON_DISABLE_PASSES ("fuse_max_pooling,fold_constants"); `RHYTON_NO_FUSION=1` disables all but the folding of
/// constants. Passes that replicas must run alike cannot be disabled: `join_reductions` and `bucket_reductions` always
/// run.
struct PassOptions {
  bool fold_constants = true;
  bool demanded_extents = true;
  bool fuse_epilogues = true;
  bool fuse_max_pooling = true;
  bool fuse_batch_normalization = true;
  bool pooled_gradients = true;
  bool conv_algorithms = true;
  bool expand_channel_moments = true;
  bool expand_batch_normalization = true;
  bool widen_half_sums = true;
  bool put_filters_first = true;
  bool fuse_elementwise = true;

  /// Only the passes that change no op.
  static PassOptions without_fusion() {
    return {.fold_constants = true,
            .demanded_extents = false,
            .fuse_epilogues = false,
            .fuse_max_pooling = false,
            .fuse_batch_normalization = false,
            .pooled_gradients = false,
            .conv_algorithms = false,
            .expand_channel_moments = false,
            .expand_batch_normalization = false,
            .widen_half_sums = false,
            .put_filters_first = false,
            .fuse_elementwise = false};
  }
};

/// Runs the passes; the result is ready for the planner.
Graph optimize(const Graph& graph, const PassOptions& options = {});

/// The same for a device whose kernels are in `kernels` and run on whole tensors: without the passes for ops that only
/// the CPU has kernels for.
Graph optimize_for(const Graph& graph, const KernelTable& kernels, const PassOptions& options = {});

}  // namespace rhyton::graph
