#include <rhyton/framework/graph/arena_layout.h>

#include <random>

#include <gtest/gtest.h>

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

TEST(ArenaLayout, TheCheckFindsAnOverlap) {
  const std::vector<Interval> intervals{{100, 0, 2}, {100, 1, 3}};
  EXPECT_FALSE(is_valid(intervals, {{0, 64}, 1024}));
}

}  // namespace
}  // namespace rhyton::graph
