// Reductions of tensors without elements, as Keras has them on TensorFlow.

#include <rhyton/framework/ops/extremum.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/statistics.h>
#include <rhyton/tests/framework/ops/eager_and_compiled.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

using Reduction = Tensor (*)(const Tensor&, const std::vector<int>&, bool);

std::string refused(Reduction function, const Shape& shape, int axis) {
  return test::message_of<InvalidArgumentError>([&] { function(Tensor::zeros(shape), {axis}, false); });
}

TEST(OfNothing, MaxAndMinAreErrors) {
  EXPECT_EQ(refused(&ops::max, {0, 3}, 0), "Cannot compute the max of an empty tensor.");
  EXPECT_EQ(refused(&ops::min, {0, 3}, 0), "Cannot compute the min of an empty tensor.");
  // Even where there would be no result.
  EXPECT_EQ(refused(&ops::max, {0, 3}, 1), "Cannot compute the max of an empty tensor.");
  EXPECT_THROW(ops::max(Tensor::zeros({0}, bool_)), InvalidArgumentError);
  EXPECT_EQ(reduce_max(Tensor::zeros({0, 2}), {0}).to_vector(), (std::vector<double>{-infinite, -infinite}));
  EXPECT_EQ(reduce_min(Tensor::zeros({2, 0})).item(), infinite);
}

TEST(OfNothing, MaxIsTheLowestNumberInACompiledFunction) {
  const graph::Function largest = [](const std::vector<Tensor>& in) { return std::vector<Tensor>{max(in[0], {0})}; };
  EXPECT_EQ(test::compiled(largest, {Tensor::zeros({0, 2})}).at(0).to_vector(),
            (std::vector<double>{-infinite, -infinite}));
}

TEST(OfNothing, ReductionsThatLeaveOutNanAreNan) {
  for (const Reduction function : std::initializer_list<Reduction>{&nanmedian, &nanmax, &nanmin, &nanmean}) {
    EXPECT_TRUE(std::isnan(function(Tensor::zeros({0}), {}, false).item()));
    const Tensor rows = function(Tensor::zeros({3, 0}), {1}, true);
    EXPECT_EQ(rows.shape(), Shape({3, 1}));
    for (const double value : rows.to_vector()) EXPECT_TRUE(std::isnan(value));
    EXPECT_EQ(function(Tensor::zeros({3, 0}), {0}, false).shape(), Shape({0}));
  }
  EXPECT_EQ(nanmedian(Tensor::zeros({0, 2}, int32), {0}).dtype(), float32);
  EXPECT_TRUE(std::isnan(nanquantile(Tensor::zeros({0}), 0.25).item()));
  EXPECT_THROW(median(Tensor::zeros({0})), InvalidArgumentError);
  EXPECT_EQ(ptp(Tensor::zeros({0})).item(), -infinite);
  EXPECT_EQ(logsumexp(Tensor::zeros({0})).item(), -infinite);
}

}  // namespace
}  // namespace rhyton
