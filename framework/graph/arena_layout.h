#pragma once

#include <cstddef>
#include <vector>

namespace rhyton::graph {

/// A stretch of memory that is needed from one point of time to another, both included.
struct Interval {
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
};

/// Where each interval lies in one arena.
struct ArenaLayout {
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
};

/// Every offset is a multiple of this: a line of a CPU's cache.
inline constexpr std::size_t arena_alignment = 64;
/// The bytes with what is left of the last line.
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}
/// The same in arenas on GPUs, as their libraries like it best.
inline constexpr std::size_t device_arena_alignment = 256;

/// Places the intervals so that no two that are needed at the same time overlap: the largest first, each into the
/// smallest gap that holds it.
ArenaLayout lay_out(const std::vector<Interval>& intervals, std::size_t alignment = arena_alignment);

/// True when no two intervals that are needed at the same time overlap.
bool is_valid(const std::vector<Interval>& intervals, const ArenaLayout& layout);

}  // namespace rhyton::graph
