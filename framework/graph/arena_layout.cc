#include <rhyton/framework/graph/arena_layout.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>

#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton::graph {
namespace {

/// [first, last) of the arena.
struct Bytes {
  std::size_t first = 0;
  std::size_t last = 0;
};

bool meet(const Interval& a, const Interval& b) { return a.first <= b.last && b.first <= a.last; }

/// Parts of the arena, sorted. Parts that touch or overlap are joined.
class TakenBytes {
 public:
  /// Of more parts it keeps none: then a look at all intervals is faster.
  static constexpr std::size_t max_parts = 64;

  void add(Bytes bytes) {
    if (!is_known_) return;
    // The parts that the new one joins: those that do not end before it, up to those that do not begin after it.
    const auto from = std::lower_bound(parts_.begin(), parts_.end(), bytes.first,
                                       [](const Bytes& part, std::size_t first) { return part.last < first; });
    const auto to = std::upper_bound(from, parts_.end(), bytes.last,
                                     [](std::size_t last, const Bytes& part) { return last < part.first; });
    if (from != to) {
      from->first = std::min(from->first, bytes.first);
      from->last = std::max(std::prev(to)->last, bytes.last);
      parts_.erase(std::next(from), to);
    } else if (parts_.size() < max_parts) {
      parts_.insert(from, bytes);
    } else {
      is_known_ = false;
      parts_ = {};
    }
  }

  bool is_known() const { return is_known_; }
  const std::vector<Bytes>& parts() const { return parts_; }

 private:
  std::vector<Bytes> parts_;
  bool is_known_ = true;
};

/// The parts of the arena that the placed intervals take over time: a segment tree over the points of time. A query and
/// a placement visit O(log n) nodes. These have few parts however many intervals are live at the same time, if
/// intervals that follow each other have few different sizes, since these lie side by side.
class TakenOverTime {
 public:
  explicit TakenOverTime(const std::vector<Interval>& intervals) {
    for (const Interval& interval : intervals) {
      times_.push_back(interval.first);
      times_.push_back(interval.last);
    }
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    leaves_ = std::bit_ceil(std::max<std::size_t>(1, times_.size()));
    nodes_.resize(2 * leaves_);
  }

  void add(const Interval& interval, Bytes bytes) {
    for_each_cover(interval, [&](std::size_t node) {
      nodes_[node].whole_time.add(bytes);
      nodes_[node].some_time.add(bytes);
    });
    for_each_above_ends(interval, [&](std::size_t node) { nodes_[node].some_time.add(bytes); });
  }

  /// Sets `taken` to the parts that are taken at any time of the interval, sorted by their beginnings. False if they
  /// are more than `max_parts` or unknown.
  bool find(const Interval& interval, std::size_t max_parts, std::vector<Bytes>& taken) const {
    taken.clear();
    bool is_known = true;
    const auto append = [&](const TakenBytes& bytes) {
      is_known = is_known && bytes.is_known() && taken.size() <= max_parts;
      if (is_known) taken.insert(taken.end(), bytes.parts().begin(), bytes.parts().end());
    };
    // The intervals that begin or end within the time of a cover, and those that last longer.
    for_each_cover(interval, [&](std::size_t node) { append(nodes_[node].some_time); });
    for_each_above_ends(interval, [&](std::size_t node) { append(nodes_[node].whole_time); });
    if (!is_known || taken.size() > max_parts) return false;
    std::sort(taken.begin(), taken.end(), [](const Bytes& a, const Bytes& b) { return a.first < b.first; });
    return true;
  }

 private:
  struct Node {
    /// Of the intervals that have this node as a cover: they take these during the whole time of the node.
    TakenBytes whole_time;
    /// Of the intervals that are live at some time of the node.
    TakenBytes some_time;
  };

  std::size_t leaf(int time) const {
    return leaves_ + static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), time) - times_.begin());
  }

  /// Calls `function` with the covers of the interval: the fewest nodes whose times together are that of the interval.
  template <class Function>
  void for_each_cover(const Interval& interval, Function&& function) const {
    std::size_t first = leaf(interval.first);
    std::size_t last = leaf(interval.last) + 1;
    for (; first < last; first /= 2, last /= 2) {
      if (first % 2 == 1) function(first++);
      if (last % 2 == 1) function(--last);
    }
  }

  /// Calls `function` with the leaves of the interval's ends and all nodes above them, among which are all nodes above
  /// the covers.
  template <class Function>
  void for_each_above_ends(const Interval& interval, Function&& function) const {
    std::size_t first = leaf(interval.first);
    std::size_t last = leaf(interval.last);
    for (; first != last; first /= 2, last /= 2) {
      function(first);
      function(last);
    }
    for (; first > 0; first /= 2) function(first);
  }

  std::vector<int> times_;
  /// A power of two. Node i has the nodes 2i and 2i + 1 below it; the second half of the nodes are the leaves.
  std::size_t leaves_ = 1;
  std::vector<Node> nodes_;
};

/// The intervals that have a place.
class Placed {
 public:
  explicit Placed(const std::vector<Interval>& intervals) : intervals_(intervals), over_time_(intervals) {}

  void add(std::size_t i, Bytes bytes) {
    over_time_.add(intervals_[i], bytes);
    by_offset_.push_back({bytes, i});
  }

  /// Sets `taken` to the parts of the arena that are taken at any time of the interval, sorted by their beginnings.
  void find(const Interval& interval, std::vector<Bytes>& taken) {
    // Sorting more than this share takes longer than looking at all intervals in order.
    constexpr std::size_t sorted_share = 32;
    if (over_time_.find(interval, by_offset_.size() / sorted_share, taken)) return;
    sort();
    taken.clear();
    for (const auto& [bytes, other] : by_offset_) {
      if (meet(interval, intervals_[other])) taken.push_back(bytes);
    }
  }

 private:
  struct Place {
    Bytes bytes;
    std::size_t interval = 0;
  };

  void sort() {
    const auto is_before = [](const Place& a, const Place& b) { return a.bytes.first < b.bytes.first; };
    const auto added = by_offset_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    std::sort(added, by_offset_.end(), is_before);
    std::inplace_merge(by_offset_.begin(), added, by_offset_.end(), is_before);
    sorted_ = by_offset_.size();
  }

  const std::vector<Interval>& intervals_;
  TakenOverTime over_time_;
  // The first `sorted_` are sorted by their offsets.
  std::vector<Place> by_offset_;
  std::size_t sorted_ = 0;
};

/// The beginning of the smallest gap between the taken parts that holds so many bytes, else their end.
std::size_t smallest_gap(const std::vector<Bytes>& taken, std::size_t bytes) {
  std::optional<std::size_t> best;
  std::size_t best_gap = std::numeric_limits<std::size_t>::max();
  std::size_t end = 0;
  for (const auto& [first, last] : taken) {
    if (first > end && first - end >= bytes && first - end < best_gap) {
      best = end;
      best_gap = first - end;
    }
    end = std::max(end, last);
  }
  return best.value_or(end);
}

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
  std::vector<Bytes> taken;
  for (const std::size_t i : order) {
    const std::size_t bytes = aligned(intervals[i].bytes);
    if (bytes == 0) continue;
    placed.find(intervals[i], taken);
    const std::size_t offset = smallest_gap(taken, bytes);
    const std::size_t end = checked_add(offset, bytes);
    layout.offsets[i] = offset;
    layout.bytes = std::max(layout.bytes, end);
    placed.add(i, {offset, end});
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
