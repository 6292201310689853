#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/weight_limit.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

void build_dense(std::int64_t inputs, std::int64_t units) {
  const Dense layer(units, {.name = "wide"});
  layer.impl()->ensure_built({Shape{1, inputs}});
}

TEST(WeightLimit, CountsWhatIsBuiltWhileItLives) {
  {
    const WeightLimit limit(1000);
    build_dense(10, 10);  // 440 bytes
    EXPECT_NO_THROW(build_dense(10, 10));
    EXPECT_THAT(message_of<ResourceExhaustedError>([] { build_dense(10, 10); }),
                AllOf(HasSubstr("wide/kernel"), HasSubstr("(10, 10)"), HasSubstr("400 bytes"),
                      HasSubstr("their limit of 1000 bytes")));
  }
  EXPECT_NO_THROW(build_dense(100, 100));
}

TEST(WeightLimit, LimitsWithinLimits) {
  const WeightLimit outer(500);
  {
    const WeightLimit inner(450);
    build_dense(10, 10);
  }
  EXPECT_THROW(build_dense(10, 10), ResourceExhaustedError);
}

TEST(WeightLimit, RefusesBeforeMemoryIsTaken) {
  const WeightLimit limit(WeightLimit::for_file(1000));
  EXPECT_THROW(build_dense(10, 1000000000000), ResourceExhaustedError);
}

TEST(WeightLimit, ShapesThatOverflow) {
  EXPECT_THAT(message_of<ValueError>([] { build_dense(std::int64_t{1} << 40, std::int64_t{1} << 40); }),
              AllOf(HasSubstr("wide/kernel"), HasSubstr("(1099511627776, 1099511627776)")));
}

TEST(WeightLimit, OfAFile) {
  EXPECT_EQ(WeightLimit::for_file(0), WeightLimit::file_floor);
  EXPECT_EQ(WeightLimit::for_file(std::uint64_t{1} << 30), std::uint64_t{1} << 34);
  EXPECT_EQ(WeightLimit::for_file(UINT64_MAX), UINT64_MAX);
}

}  // namespace
}  // namespace rhyton::layers
