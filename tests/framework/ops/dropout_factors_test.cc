#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
namespace {

constexpr std::uint64_t key = 17;

Tensor draw(std::int64_t number) { return Tensor::scalar(number); }

TEST(DropoutFactors, AreZeroForThatFractionAndKeepTheSum) {
  for (const DType dtype : {float32, float64, float16}) {
    const Tensor factors = dropout_factors(Tensor::zeros({100, 100}, dtype), 0.25, key, draw(3));
    EXPECT_EQ(factors.dtype(), dtype);
    int kept = 0;
    const double expected = Tensor::full({}, 1 / 0.75, dtype).item();
    for (const double factor : factors.to_vector()) {
      if (factor == 0) continue;
      EXPECT_EQ(factor, expected);
      ++kept;
    }
    EXPECT_NEAR(kept, 7500, 250);  // the key is fixed; five deviations are 217
  }
}

TEST(DropoutFactors, ARateOfOneDropsEverythingAndOfZeroNothing) {
  const Tensor like = Tensor::zeros({4, 5});
  EXPECT_EQ(dropout_factors(like, 1, key, draw(0)).to_vector(), std::vector<double>(20, 0.0));
  EXPECT_EQ(dropout_factors(like, 0, key, draw(0)).to_vector(), std::vector<double>(20, 1.0));
}

TEST(DropoutFactors, FollowTheDrawAndThePositionOfTheSample) {
  const Tensor like = Tensor::zeros({8, 16});
  const Tensor whole = dropout_factors(like, 0.5, key, draw(1));
  EXPECT_EQ(dropout_factors(like, 0.5, key, draw(1)).to_vector(), whole.to_vector());
  EXPECT_NE(dropout_factors(like, 0.5, key, draw(2)).to_vector(), whole.to_vector());
  EXPECT_NE(dropout_factors(like, 0.5, key + 1, draw(1)).to_vector(), whole.to_vector());
  const Tensor part = dropout_factors(Tensor::zeros({3, 16}), 0.5, key, draw(1), 5);
  EXPECT_EQ(part.to_vector(), slice_axis(whole, 0, 5, 8).to_vector());
}

}  // namespace
}  // namespace rhyton
