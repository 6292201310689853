#include <rhyton/framework/graph/arena_layout.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton::graph {
namespace {

TEST(ArenaLayout, IntervalsThatFollowEachOtherShareMemory) {
  const std::vector<Interval> intervals{{1000, 0, 1}, {1000, 2, 3}};
  const ArenaLayout layout = lay_out(intervals);
  EXPECT_EQ(layout.offsets[0], layout.offsets[1]);
  EXPECT_EQ(layout.bytes, 1024U);
}

TEST(ArenaLayout, IntervalsThatMeetLieApart) {
  const std::vector<Interval> intervals{{100, 0, 2}, {100, 2, 3}};
  const ArenaLayout layout = lay_out(intervals);
  EXPECT_NE(layout.offsets[0], layout.offsets[1]);
  EXPECT_TRUE(is_valid(intervals, layout));
}

TEST(ArenaLayout, ASmallIntervalTakesTheSmallestGapThatHoldsIt) {
  // Two large ones leave gaps of 640 and 128 bytes below a third at time 1.
  const std::vector<Interval> intervals{{6400, 0, 5}, {640, 0, 0}, {128, 1, 1}};
  const ArenaLayout layout = lay_out(intervals);
  EXPECT_EQ(layout.bytes, 6400U + 640U);
}

TEST(ArenaLayout, OffsetsAreAligned) {
  const ArenaLayout layout = lay_out({{1, 0, 9}, {3, 0, 9}, {65, 0, 9}});
  for (const std::size_t offset : layout.offsets) EXPECT_EQ(offset % arena_alignment, 0U);
}

TEST(ArenaLayout, RandomIntervalsNeverOverlapWhileBothAreNeeded) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Interval> intervals;
    std::size_t sum = 0;
    for (int i = 0; i < 60; ++i) {
      const int first = static_cast<int>(random() % 40);
      intervals.push_back({random() % 5000, first, first + static_cast<int>(random() % 8)});
      sum += intervals.back().bytes + arena_alignment;
    }
    const ArenaLayout layout = lay_out(intervals);
    ASSERT_TRUE(is_valid(intervals, layout));
    EXPECT_LT(layout.bytes, sum);
  }
}

/// The largest first, each in the smallest gap that fits, by comparison with all others.
std::vector<std::size_t> plain_offsets(const std::vector<Interval>& intervals) {
  std::vector<std::size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return intervals[a].bytes > intervals[b].bytes; });
  std::vector<std::size_t> offsets(intervals.size());
  std::vector<std::size_t> placed;
  for (const std::size_t i : order) {
    const std::size_t bytes = aligned(intervals[i].bytes);
    if (bytes == 0) continue;
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    for (const std::size_t other : placed) {
      if (intervals[other].first > intervals[i].last || intervals[i].first > intervals[other].last) continue;
      taken.emplace_back(offsets[other], offsets[other] + aligned(intervals[other].bytes));
    }
    std::sort(taken.begin(), taken.end());
    std::optional<std::pair<std::size_t, std::size_t>> best;  // the gap and its position
    std::size_t end = 0;
    for (const auto& [first, last] : taken) {
      if (first > end && first - end >= bytes && (!best || first - end < best->first)) best = {first - end, end};
      end = std::max(end, last);
    }
    offsets[i] = best ? best->second : end;
    placed.push_back(i);
  }
  return offsets;
}

TEST(ArenaLayout, OffsetsAreThoseOfThePlainSearch) {
  std::mt19937 random(8);
  for (int round = 0; round < 60; ++round) {
    const int longest = round % 3 == 0 ? 3 : round % 3 == 1 ? 30 : 400;
    std::vector<Interval> intervals;
    for (int i = 0; i < 300; ++i) {
      const int first = static_cast<int>(random() % 400);
      intervals.push_back({random() % 2000, first, first + static_cast<int>(random()) % longest});
      if (intervals.back().last < first) intervals.back().last = first;
    }
    ASSERT_EQ(lay_out(intervals).offsets, plain_offsets(intervals));
  }
}

/// The intervals of a deep training: the activations of all layers are live until the backward pass reaches them, and
/// every step of the backward pass has two gradients of its own.
std::vector<Interval> deep_training(int layers) {
  std::vector<Interval> intervals;
  const auto bytes = [](int layer) { return static_cast<std::size_t>(layer % 3 == 0 ? 4096 : 1024); };
  for (int layer = 0; layer < layers; ++layer) intervals.push_back({bytes(layer), layer, 2 * layers - layer});
  for (int layer = 0; layer < layers; ++layer) {
    const int time = 2 * layers - layer;
    intervals.push_back({bytes(layer), time - 1, time});
    intervals.push_back({bytes(layer) / 2, time, time});
  }
  return intervals;
}

TEST(ArenaLayout, ADeepTrainingIsLaidOutLikeByThePlainSearch) {
  const std::vector<Interval> intervals = deep_training(300);
  EXPECT_EQ(lay_out(intervals).offsets, plain_offsets(intervals));
}

// A test of the time too: the plain search compares 10^10 pairs.
TEST(ArenaLayout, ATrainingOf100000LayersIsLaidOut) {
  constexpr int layers = 100000;
  const ArenaLayout layout = lay_out(deep_training(layers));
  // The activations take 2048 bytes per layer on average; of the gradients only few are live at a time.
  EXPECT_LT(layout.bytes, 2048U * layers + 64U * 1024U);
}

TEST(ArenaLayout, BytesThatCannotBeCountedAreRefused) {
  constexpr std::size_t half = std::size_t{1} << 63;
  EXPECT_THROW(lay_out({{half, 0, 1}, {half, 0, 1}}), ShapeOverflowError);
  EXPECT_THROW(lay_out({{~std::size_t{0}, 0, 1}}), ShapeOverflowError);
}

TEST(ArenaLayout, TheCheckFindsAnOverlap) {
  const std::vector<Interval> intervals{{100, 0, 2}, {100, 1, 3}};
  EXPECT_FALSE(is_valid(intervals, {{0, 64}, 1024}));
}

}  // namespace
}  // namespace rhyton::graph
