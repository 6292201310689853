#include <rhyton/models/training/batch_parts.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rhyton::training {
namespace {

const BatchParts<int> batch = {.x = {1, 2}, .y = {3}, .sample_weight = {4}};

TEST(BatchParts, FlatListsTheArraysPartByPart) {
  EXPECT_EQ(flat(batch), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(flat(BatchParts<int>{.x = {1}}), std::vector<int>{1});
}

TEST(BatchParts, PartsLikeIsTheInverseOfFlat) {
  EXPECT_EQ(parts_like(batch, flat(batch)), batch);
  const BatchParts<int> without_targets = {.x = {7, 8}, .sample_weight = {9}};
  EXPECT_EQ(parts_like(without_targets, std::vector<int>{1, 2, 3}),
            (BatchParts<int>{.x = {1, 2}, .sample_weight = {3}}));
}

TEST(BatchParts, AFurtherValueBelongsToNoPart) {
  EXPECT_EQ(parts_like(batch, std::vector<int>{5, 6, 7, 8, 9}),
            (BatchParts<int>{.x = {5, 6}, .y = {7}, .sample_weight = {8}}));
}

TEST(BatchParts, AreMappedOneByOne) {
  const BatchParts<std::string> texts = map_parts(batch, [](int value) { return std::to_string(value); });
  EXPECT_EQ(texts, (BatchParts<std::string>{.x = {"1", "2"}, .y = {"3"}, .sample_weight = {"4"}}));
}

TEST(BatchParts, HaveKerassNames) {
  std::string names;
  for_each_part(
      [&](const std::string& name, const std::vector<int>& part) { names += name + std::to_string(part.size()) + " "; },
      batch);
  EXPECT_EQ(names, "x2 y1 sample_weight1 ");
}

}  // namespace
}  // namespace rhyton::training
