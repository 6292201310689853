#include <rhyton/framework/graph/arena_layout.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace rhyton::graph {
namespace {

bool meet(const Interval& a, const Interval& b) { return a.first <= b.last && b.first <= a.last; }

}  // namespace

ArenaLayout lay_out(const std::vector<Interval>& intervals, std::size_t alignment) {
  const auto aligned = [&](std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  ArenaLayout layout;
  layout.offsets.assign(intervals.size(), 0);
  std::vector<std::size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return intervals[a].bytes > intervals[b].bytes; });

  std::vector<std::size_t> placed;
  std::vector<std::pair<std::size_t, std::size_t>> taken;
  for (const std::size_t i : order) {
    const std::size_t bytes = aligned(intervals[i].bytes);
    if (bytes == 0) continue;
    taken.clear();
    for (const std::size_t other : placed) {
      if (meet(intervals[i], intervals[other])) {
        taken.emplace_back(layout.offsets[other], layout.offsets[other] + aligned(intervals[other].bytes));
      }
    }
    std::sort(taken.begin(), taken.end());
    std::size_t best = std::numeric_limits<std::size_t>::max();
    std::size_t best_gap = std::numeric_limits<std::size_t>::max();
    std::size_t end = 0;
    for (const auto& [first, last] : taken) {
      if (first > end && first - end >= bytes && first - end < best_gap) {
        best = end;
        best_gap = first - end;
      }
      end = std::max(end, last);
    }
    layout.offsets[i] = best == std::numeric_limits<std::size_t>::max() ? end : best;
    layout.bytes = std::max(layout.bytes, layout.offsets[i] + bytes);
    placed.push_back(i);
  }
  return layout;
}

bool is_valid(const std::vector<Interval>& intervals, const ArenaLayout& layout) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (layout.offsets[i] + intervals[i].bytes > layout.bytes) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (intervals[i].bytes == 0 || intervals[j].bytes == 0 || !meet(intervals[i], intervals[j])) continue;
      const bool apart = layout.offsets[i] + intervals[i].bytes <= layout.offsets[j] ||
                         layout.offsets[j] + intervals[j].bytes <= layout.offsets[i];
      if (!apart) return false;
    }
  }
  return true;
}

}  // namespace rhyton::graph
