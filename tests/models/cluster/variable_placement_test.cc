#include <rhyton/models/cluster/variable_placement.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using experimental::partitioners::FixedShardsPartitioner;
using testing::HasSubstr;

std::vector<Variable> three_variables() {
  return {Variable(Tensor::zeros({5, 2}), {.name = "table"}), Variable(Tensor::zeros({}), {.name = "scalar"}),
          Variable(Tensor::zeros({4}), {.name = "bias"})};
}

TEST(VariablePlacementTest, GoesRoundTheServers) {
  const VariablePlacement placement(three_variables(), 2, {});
  EXPECT_EQ(placement.shards_of(0).front().server, 0);
  EXPECT_EQ(placement.shards_of(1).front().server, 1);
  EXPECT_EQ(placement.shards_of(2).front().server, 0);
  EXPECT_FALSE(placement.is_divided(0));
}

TEST(VariablePlacementTest, DividesRows) {
  const std::vector<Variable> variables = three_variables();
  const VariablePlacement placement(variables, 2, FixedShardsPartitioner(2));
  const std::vector<Shard>& table = placement.shards_of(0);
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table[0].rows, 3);
  EXPECT_EQ(table[1].first_row, 3);
  EXPECT_EQ(table[1].server, 1);
  EXPECT_EQ(table[1].key, "0/1");
  EXPECT_FALSE(placement.is_divided(1));
  EXPECT_EQ(placement.shards_of(1).front().server, 0);
  EXPECT_EQ(rows_of(variables[0].value(), table[1]).shape(), Shape({2, 2}));
}

TEST(VariablePlacementTest, RefusesOtherAxes) {
  const VariablePartitioner columns = [](const Shape&, DType) { return std::vector<std::int64_t>{1, 2}; };
  EXPECT_THAT(test::message_of<ValueError>([&] {
                VariablePlacement({Variable(Tensor::zeros({2, 2}), {.name = "w"})}, 2, columns);
              }),
              HasSubstr("got: [1, 2]"));
}

}  // namespace
}  // namespace rhyton::distribute
