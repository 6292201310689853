#include <rhyton/framework/distribute/partitioners.h>

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>

namespace rhyton::distribute::experimental::partitioners {
namespace {

using testing::ElementsAre;

TEST(PartitionersTest, DivideIntoAFixedNumberOfParts) {
  EXPECT_THAT(FixedShardsPartitioner(2)({10, 3}, float32), ElementsAre(2, 1));
  EXPECT_THAT(FixedShardsPartitioner(16)({10, 3}, float32), ElementsAre(10, 1));
}

// 1024 · 1024 float32 are 4 MB: 16 parts of 256 KB, as TensorFlow's documentation says.
TEST(PartitionersTest, DivideIntoPartsOfAMinimumSize) {
  EXPECT_THAT(MinSizePartitioner(256 << 10, 100)({1024, 1024}, float32), ElementsAre(16, 1));
  EXPECT_THAT(MinSizePartitioner(256 << 10, 3)({1024, 1024}, float32), ElementsAre(3, 1));
  EXPECT_THAT(MinSizePartitioner()({1024, 1024}, float32), ElementsAre(1, 1));
  EXPECT_THAT(MinSizePartitioner(4, 100)({6, 1}, float16), ElementsAre(3, 1));
}

TEST(PartitionersTest, DivideIntoPartsOfAMaximumSize) {
  EXPECT_THAT(MaxSizePartitioner(16)({10, 2}, float32), ElementsAre(5, 1));
  EXPECT_THAT(MaxSizePartitioner(20)({10, 2}, float32), ElementsAre(5, 1));
  EXPECT_THAT(MaxSizePartitioner(1)({10, 2}, float32), ElementsAre(10, 1));
  EXPECT_THAT(MaxSizePartitioner(16, 2)({10, 2}, float32), ElementsAre(2, 1));
  EXPECT_THAT(MaxSizePartitioner(16)({}, float32), ElementsAre());
}

TEST(PartitionersTest, RefuseNumbersBelowOne) {
  EXPECT_THROW(FixedShardsPartitioner(0), ValueError);
  EXPECT_THROW(MinSizePartitioner(0), ValueError);
  EXPECT_THROW(MaxSizePartitioner(16, 0), ValueError);
}

}  // namespace
}  // namespace rhyton::distribute::experimental::partitioners
