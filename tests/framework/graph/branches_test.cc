#include <rhyton/framework/graph/branches.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rhyton::graph {
namespace {

using Work = std::vector<MemoryAccess>;

std::vector<std::byte> memory(4096);

MemoryAccess reads(std::size_t offset, std::size_t bytes = 8) { return {memory.data() + offset, bytes, false}; }
MemoryAccess writes(std::size_t offset, std::size_t bytes = 8) { return {memory.data() + offset, bytes, true}; }

/// "0 1[0] 0[1,2]": the branch of each piece, and its dependencies.
std::string text_of(const std::vector<BranchedWork>& places) {
  std::string text;
  for (const BranchedWork& place : places) {
    text += (text.empty() ? "" : " ") + std::to_string(place.branch);
    for (std::size_t i = 0; i < place.after.size(); ++i) {
      text += (i == 0 ? "[" : ",") + std::to_string(place.after[i]);
    }
    if (!place.after.empty()) text += "]";
  }
  return text;
}

std::string branches_of(const std::vector<Work>& work, std::size_t max_branches = 4) {
  return text_of(assign_branches(work, max_branches));
}

/// Whether each piece ends before another one begins, given branches and dependencies.
std::vector<std::vector<bool>> order_of(const std::vector<BranchedWork>& places) {
  std::vector<std::vector<bool>> before(places.size(), std::vector<bool>(places.size(), false));
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::vector<std::size_t> earlier = places[i].after;
    for (std::size_t j = 0; j < i; ++j) {
      if (places[j].branch == places[i].branch) earlier.push_back(j);
    }
    for (const std::size_t j : earlier) {
      before[j][i] = true;
      for (std::size_t k = 0; k < j; ++k) {
        if (before[k][j]) before[k][i] = true;
      }
    }
  }
  return before;
}

bool clash(const Work& a, const Work& b) {
  for (const MemoryAccess& one : a) {
    for (const MemoryAccess& other : b) {
      const bool apart = one.begin + one.bytes <= other.begin || other.begin + other.bytes <= one.begin;
      if (!apart && (one.writes || other.writes)) return true;
    }
  }
  return false;
}

TEST(Branches, AChainIsOneBranch) {
  EXPECT_EQ(branches_of({{writes(0)}, {reads(0), writes(8)}, {reads(8), writes(16)}}), "0 0 0");
}

TEST(Branches, WorkOnOtherMemoryRunsBesideIt) {
  EXPECT_EQ(branches_of({{writes(0)}, {writes(8)}, {reads(0), reads(8), writes(16)}}), "0 1 1[0]");
}

TEST(Branches, ReadersOfTheSameMemoryRunSideBySide) {
  EXPECT_EQ(branches_of({{writes(0)}, {reads(0), writes(8)}, {reads(0), writes(16)}}), "0 0 1[0]");
}

TEST(Branches, AWriterWaitsForThoseThatStillRead) {
  EXPECT_EQ(branches_of({{reads(0), writes(8)}, {reads(0), writes(16)}, {writes(0)}}), "0 1 1[0]");
}

TEST(Branches, WritersOfTheSameMemoryStayInOrder) {
  EXPECT_EQ(branches_of({{writes(0)}, {writes(4)}, {writes(8)}}), "0 0 0");
}

TEST(Branches, OneByteInCommonIsEnough) {
  EXPECT_EQ(branches_of({{writes(0, 9)}, {reads(8)}}), "0 0");
  EXPECT_EQ(branches_of({{writes(0, 8)}, {reads(8)}}), "0 1");
  EXPECT_EQ(branches_of({{writes(0, 0)}, {writes(0, 0)}}), "0 1");
}

TEST(Branches, TheLongestChainHasABranchOfItsOwn) {
  // As in backpropagation: for each layer the gradient of its kernel, which is unused, and that of its input.
  std::vector<Work> work = {{writes(0)}};
  for (std::size_t layer = 0; layer < 5; ++layer) {
    work.push_back({reads(layer * 8), writes(1024 + layer * 8)});
    work.push_back({reads(layer * 8), writes(layer * 8 + 8)});
  }
  const std::vector<BranchedWork> places = assign_branches(work, 4);
  for (std::size_t i = 0; i < work.size(); i += 2) {
    EXPECT_EQ(places[i].branch, 0U) << i;
    EXPECT_TRUE(places[i].after.empty()) << i;
  }
  EXPECT_NE(places[1].branch, 0U);
}

TEST(Branches, ThereAreNoMoreThanAllowed) {
  std::vector<Work> work;
  for (std::size_t i = 0; i < 20; ++i) work.push_back({writes(i * 8)});
  for (const std::size_t maximum : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    std::vector<std::size_t> used;
    for (const BranchedWork& place : assign_branches(work, maximum)) used.push_back(place.branch);
    EXPECT_EQ(*std::max_element(used.begin(), used.end()), maximum - 1) << maximum;
  }
}

TEST(Branches, WhatIsWaitedForIsMarked) {
  const std::vector<BranchedWork> places =
      assign_branches(std::vector<Work>{{writes(0)}, {writes(8)}, {reads(0), reads(8)}}, 4);
  EXPECT_TRUE(places[0].is_awaited);
  EXPECT_FALSE(places[1].is_awaited);
  EXPECT_FALSE(places[2].is_awaited);
}

TEST(Branches, WhateverClashesStaysInOrder) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  std::size_t side_by_side = 0;
  for (int graph = 0; graph < 300; ++graph) {
    std::vector<Work> work(1 + below(60));
    const std::size_t places_in_memory = 2 + below(60);
    for (Work& piece : work) {
      for (std::size_t i = 0; i <= below(4); ++i) {
        piece.push_back({memory.data() + below(places_in_memory) * 16, 1 + below(40), below(3) == 0});
      }
    }
    const std::vector<BranchedWork> places = assign_branches(work, 1 + below(5));
    const std::vector<std::vector<bool>> before = order_of(places);
    for (std::size_t i = 0; i < work.size(); ++i) {
      for (const std::size_t awaited : places[i].after) {
        ASSERT_LT(awaited, i);
        ASSERT_TRUE(places[awaited].is_awaited);
      }
      for (std::size_t j = 0; j < i; ++j) {
        ASSERT_TRUE(before[j][i] || !clash(work[j], work[i])) << graph << ": " << j << " and " << i;
        if (!before[j][i]) ++side_by_side;
      }
    }
  }
  EXPECT_GT(side_by_side, 1000U);
}

}  // namespace
}  // namespace rhyton::graph
