#include <rhyton/framework/summary/histogram.h>

#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rhyton::summary {
namespace {

using ::testing::ElementsAre;

std::vector<double> counts_of(const std::vector<HistogramBucket>& buckets) {
  std::vector<double> counts;
  for (const HistogramBucket& bucket : buckets) counts.push_back(bucket.count);
  return counts;
}

TEST(Histogram, HasIntervalsOfEqualWidth) {
  const std::vector<HistogramBucket> buckets = histogram_of({0, 1, 2, 3, 4, 4, 8}, 4);
  EXPECT_THAT(counts_of(buckets), ElementsAre(2, 2, 2, 1));
  EXPECT_EQ(buckets[1].left, 2);
  EXPECT_EQ(buckets[1].right, 4);
  EXPECT_EQ(buckets[3].right, 8);
}

TEST(Histogram, OfEqualValuesHasAllInTheLastInterval) {
  const std::vector<HistogramBucket> buckets = histogram_of({5, 5, 5}, 3);
  EXPECT_THAT(counts_of(buckets), ElementsAre(0, 0, 3));
  EXPECT_EQ(buckets[0].left, 5);
  EXPECT_EQ(buckets[2].right, 5);
}

TEST(Histogram, OfNothingIsZero) {
  const std::vector<HistogramBucket> buckets = histogram_of({}, 2);
  EXPECT_THAT(counts_of(buckets), ElementsAre(0, 0));
  EXPECT_EQ(buckets[1].right, 0);
}

TEST(Histogram, LeavesOutWhatIsNotFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<HistogramBucket> buckets =
      histogram_of({1, infinity, 2, -infinity, std::numeric_limits<double>::quiet_NaN()}, 2);
  EXPECT_THAT(counts_of(buckets), ElementsAre(1, 1));
  EXPECT_EQ(buckets[0].left, 1);
  EXPECT_EQ(buckets[1].right, 2);
}

}  // namespace
}  // namespace rhyton::summary
