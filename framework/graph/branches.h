#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rhyton::graph {

/// A stretch of memory that a piece of work reads or writes.
struct MemoryAccess {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
  bool writes = false;
};

/// The place of a piece of work in a recording with branches.
struct BranchedWork {
  std::size_t branch = 0;
  /// What it waits for beside the earlier work of its branch: numbers of pieces of work.
  std::vector<std::size_t> after;
  /// Whether another branch waits for it.
  bool is_awaited = false;
};

/// Deals work that one stream would do in this order out to at most so many branches, that run side by side. Whatever
/// touches the same memory, one of them writing, stays in order; everything else may change places. `work`: what each
/// piece touches.
///
/// A branch goes on with what the longest chain of further work waits for, so that this chain has no other to wait for.
std::vector<BranchedWork> assign_branches(std::span<const std::vector<MemoryAccess>> work, std::size_t most_branches);

}  // namespace rhyton::graph
