#include <rhyton/framework/graph/arena_layout.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton::graph {
namespace {

/// Sorting more than this part of all intervals takes longer than looking at all of them in order.
constexpr std::size_t max_sorted_share = 16;

bool meet(const Interval& a, const Interval& b) { return a.first <= b.last && b.first <= a.last; }

/// The intervals that have a place, to be asked for those that are live together with another one.
class Placed {
 public:
  explicit Placed(const std::vector<Interval>& intervals) : intervals_(intervals) {
    for (const Interval& interval : intervals) {
      times_.push_back(interval.first);
      times_.push_back(interval.last);
    }
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    covering_.resize(2 * times_.size());
  }

  void add(std::size_t i, std::size_t offset) {
    const std::pair<std::size_t, std::size_t> place(offset, i);
    by_offset_.insert(std::upper_bound(by_offset_.begin(), by_offset_.end(), place), place);
    starts_.emplace(intervals_[i].first, i);
    // The few nodes of the tree that together cover the interval.
    std::size_t first = leaf(intervals_[i].first);
    std::size_t last = leaf(intervals_[i].last) + 1;
    for (; first < last; first /= 2, last /= 2) {
      if (first % 2 == 1) covering_[first++].push_back(i);
      if (last % 2 == 1) covering_[--last].push_back(i);
    }
  }

  /// Calls function(i) once for each that meets the interval: those live where it begins, and those that begin later.
  template <class Function>
  void for_each_overlapping(const Interval& interval, Function&& function) const {
    for (std::size_t node = leaf(interval.first); node > 0; node /= 2) {
      std::for_each(covering_[node].begin(), covering_[node].end(), function);
    }
    const auto end = starts_.upper_bound({interval.last, intervals_.size()});
    for (auto start = starts_.upper_bound({interval.first, intervals_.size()}); start != end; ++start) {
      function(start->second);
    }
  }

  std::size_t size() const { return by_offset_.size(); }
  /// Offsets and intervals, in the order of the offsets.
  const std::vector<std::pair<std::size_t, std::size_t>>& by_offset() const { return by_offset_; }

 private:
  std::size_t leaf(int time) const {
    return times_.size() +
           static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), time) - times_.begin());
  }

  const std::vector<Interval>& intervals_;
  std::vector<int> times_;
  /// A tree over the times: its leaves are the second half, the node above i is i / 2.
  std::vector<std::vector<std::size_t>> covering_;
  std::set<std::pair<int, std::size_t>> starts_;
  std::vector<std::pair<std::size_t, std::size_t>> by_offset_;
};

}  // namespace

ArenaLayout lay_out(const std::vector<Interval>& intervals, std::size_t alignment) {
  const auto aligned = [&](std::size_t bytes) { return checked_add(bytes, alignment - 1) / alignment * alignment; };
  ArenaLayout layout;
  layout.offsets.assign(intervals.size(), 0);
  std::vector<std::size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return intervals[a].bytes > intervals[b].bytes; });

  Placed placed(intervals);
  std::vector<std::pair<std::size_t, std::size_t>> taken;
  for (const std::size_t i : order) {
    const std::size_t bytes = aligned(intervals[i].bytes);
    if (bytes == 0) continue;
    taken.clear();
    const auto take = [&](std::size_t other) {
      taken.emplace_back(layout.offsets[other], layout.offsets[other] + aligned(intervals[other].bytes));
    };
    placed.for_each_overlapping(intervals[i], take);
    if (taken.size() < placed.size() / max_sorted_share) {
      std::sort(taken.begin(), taken.end());
    } else {
      taken.clear();
      for (const auto& [offset, other] : placed.by_offset()) {
        if (meet(intervals[i], intervals[other])) take(other);
      }
    }
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
    layout.bytes = std::max(layout.bytes, checked_add(layout.offsets[i], bytes));
    placed.add(i, layout.offsets[i]);
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
