#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rhyton::graph {

/// A range of memory that a piece of work reads or writes.
struct MemoryAccess {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
  bool writes = false;
};

/// The position of a piece of work in a recording with branches.
struct BranchedWork {
  std::size_t branch = 0;
  /// The pieces of work, by number, that it waits for besides the earlier work of its branch.
  std::vector<std::size_t> after;
  /// Whether another branch waits for it.
  bool is_awaited = false;
};

/// Distributes work, which one stream would do in this order, over at most `max_branches` concurrent branches. Pieces
/// that access the same memory, at least one of them writing, stay in order; all others may be reordered. `work`: the
/// accesses of each piece.
///
/// A branch continues with the work that the longest chain of further work waits for, so that this chain waits for no
/// other.
std::vector<BranchedWork> assign_branches(std::span<const std::vector<MemoryAccess>> work, std::size_t max_branches);

}  // namespace rhyton::graph
