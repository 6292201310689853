// The positions of boxes and arrows.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/apps/rhyton/graph_layout.h>

namespace rhyton::tool {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

std::vector<Size> boxes(std::size_t count) {
  std::vector<Size> sizes;
  for (std::size_t i = 0; i < count; ++i) sizes.push_back({80 + 10.0 * static_cast<double>(i % 5), 46});
  return sizes;
}

bool overlap(Point a, Size a_size, Point b, Size b_size) {
  return a.x < b.x + b_size.width && b.x < a.x + a_size.width && a.y < b.y + b_size.height && b.y < a.y + a_size.height;
}

/// The properties of every layout without cycles.
void expect_sound(const GraphLayout& layout, const std::vector<Size>& sizes, const Edges& edges) {
  ASSERT_EQ(layout.corners.size(), sizes.size());
  ASSERT_EQ(layout.paths.size(), edges.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_GE(layout.corners[i].x, 0);
    EXPECT_GE(layout.corners[i].y, 0);
    EXPECT_LE(layout.corners[i].x + sizes[i].width, layout.size.width);
    EXPECT_LE(layout.corners[i].y + sizes[i].height, layout.size.height);
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_FALSE(overlap(layout.corners[i], sizes[i], layout.corners[k], sizes[k])) << k << " and " << i;
    }
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto& [from, to] = edges[e];
    const std::vector<Point>& path = layout.paths[e];
    EXPECT_DOUBLE_EQ(path.front().x, layout.corners[from].x + sizes[from].width / 2);
    EXPECT_DOUBLE_EQ(path.front().y, layout.corners[from].y + sizes[from].height);
    EXPECT_DOUBLE_EQ(path.back().x, layout.corners[to].x + sizes[to].width / 2);
    EXPECT_DOUBLE_EQ(path.back().y, layout.corners[to].y);
    for (std::size_t i = 1; i < path.size(); ++i) EXPECT_GE(path[i].y, path[i - 1].y) << "downwards";
    // No box is where an edge crosses a row.
    for (std::size_t i = 1; i + 1 < path.size(); ++i) {
      for (std::size_t box = 0; box < sizes.size(); ++box) {
        EXPECT_FALSE(overlap(path[i], {0, 0}, layout.corners[box], sizes[box])) << "edge " << e << ", box " << box;
      }
    }
  }
}

TEST(GraphLayout, ARowStandsOneBelowTheOther) {
  const std::vector<Size> sizes = boxes(4);
  const Edges edges = {{0, 1}, {1, 2}, {2, 3}};
  const GraphLayout layout = lay_out(sizes, edges);
  expect_sound(layout, sizes, edges);
  for (const std::vector<Point>& path : layout.paths) EXPECT_NEAR(path.front().x, path.back().x, 1e-9) << "straight";
}

TEST(GraphLayout, EdgesPassTheBoxesBetween) {
  const std::vector<Size> sizes = boxes(6);
  const Edges edges = {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}, {0, 5}, {4, 5}};
  expect_sound(lay_out(sizes, edges), sizes, edges);
}

TEST(GraphLayout, WideAndDeepGraphs) {
  // 5 branches of different lengths from one box into one, with skips.
  Edges edges;
  std::size_t next = 1;
  std::vector<std::size_t> ends;
  for (std::size_t branch = 0; branch < 5; ++branch) {
    std::size_t last = 0;
    for (std::size_t i = 0; i <= branch; ++i) {
      edges.emplace_back(last, next);
      if (i == 2) edges.emplace_back(0, next);
      last = next++;
    }
    ends.push_back(last);
  }
  for (const std::size_t end : ends) edges.emplace_back(end, next);
  const std::vector<Size> sizes = boxes(next + 1);
  expect_sound(lay_out(sizes, edges), sizes, edges);
}

TEST(GraphLayout, AnInputStandsWhereItIsNeeded) {
  const std::vector<Size> sizes = boxes(5);
  const Edges edges = {{0, 1}, {1, 2}, {2, 4}, {3, 4}};
  const GraphLayout layout = lay_out(sizes, edges);
  expect_sound(layout, sizes, edges);
  EXPECT_DOUBLE_EQ(layout.corners[3].y, layout.corners[2].y);
}

TEST(GraphLayout, CirclesAndLoopsAndNothing) {
  const std::vector<Size> sizes = boxes(3);
  const GraphLayout layout = lay_out(sizes, {{0, 1}, {1, 2}, {2, 1}, {2, 2}});
  ASSERT_EQ(layout.paths.size(), 4u);
  EXPECT_GT(layout.paths[2].front().y, layout.paths[2].back().y) << "upwards";
  EXPECT_EQ(layout.paths[3].front().x, layout.paths[3].back().x) << "back into the same side";
  EXPECT_GT(lay_out({}, {}).size.width, 0);
  EXPECT_EQ(lay_out(boxes(1), {}).corners.size(), 1u);
}

}  // namespace
}  // namespace rhyton::tool
