#pragma once

#include <cstdint>
#include <functional>

#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/lifetimes.h>
#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/graph/schedule.h>

namespace rhyton::graph {

/// How a batch is sliced. A function of the graph alone, so that results do not depend on the number of threads.
struct Slicing {
  /// Samples in a slice, each of which has its own partial sums; the last slice may be shorter.
  std::int64_t slice_size = 0;
  std::int64_t slices = 1;
  /// Samples of a slice that pass through a phase together.
  std::int64_t chunk = 1;
};

/// Chooses slices whose partial sums do not take too much memory, and chunks that fit in a core's cache. `is_local`
/// returns whether only a chunk of a value exists.
Slicing choose_slicing(const Graph& graph, const BatchAnalysis& batch, const Schedule& schedule,
                       const Lifetimes& lifetimes, const std::function<bool(ValueId)>& is_local,
                       const PlanOptions& options);

}  // namespace rhyton::graph
