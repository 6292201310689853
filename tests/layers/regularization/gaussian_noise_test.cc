#include <cmath>
#include <cstddef>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/regularization/gaussian_noise.h>
#include <rhyton/tests/layers/regularization/noise.h>

namespace rhyton::layers {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

TEST(GaussianNoise, AddsNumbersOfTheNormalDistribution) {
  const Tensor x = Tensor::full({200, 100}, 3.0);
  const auto [y, gradient] = test::trained_call(GaussianNoise(0.5, {.seed = 1}), x);
  EXPECT_NEAR(test::mean_of(y), 3, 0.02);
  EXPECT_NEAR(test::variance_of(y), 0.25, 0.01);
  double within = 0;
  for (const double value : y) within += std::abs(value - 3) < 0.5 ? 1.0 : 0.0;
  EXPECT_NEAR(within / static_cast<double>(y.size()), 0.6827, 0.015);
  EXPECT_EQ(gradient, Values(y.size(), 1.0));
}

TEST(GaussianNoise, IsRepeatableForASeed) {
  const Tensor x = Tensor::full({4, 6}, 1.0);
  const Layer first = GaussianNoise(0.25, {.seed = 5});
  const Layer second = GaussianNoise(0.25, {.seed = 5});
  const Values drawn = test::trained(first, x);
  EXPECT_EQ(drawn, test::trained(second, x));
  EXPECT_NE(drawn, test::trained(first, x));
  EXPECT_NE(drawn, test::trained(GaussianNoise(0.25, {.seed = 6}), x));
}

TEST(GaussianNoise, DoesNothingOutsideTrainingOrWithoutNoise) {
  const Tensor x = Tensor::from_data<float>({2, 2}, {1, -2, 3, 4});
  EXPECT_EQ(GaussianNoise(0.25)(x).to_vector(), x.to_vector());
  EXPECT_EQ(GaussianNoise(0.25)(x, {.training = false}).to_vector(), x.to_vector());
  EXPECT_EQ(test::trained(GaussianNoise(0.0), x), x.to_vector());
  const Tensor mask = Tensor::from_data<bool>({2, 2}, {true, false, true, true});
  EXPECT_TRUE(GaussianNoise(0.25)(Tensor::zeros({2, 2, 3}).with_mask(mask), {.training = true}).has_mask());
  EXPECT_EQ(GaussianNoise(0.25, {.dtype = "mixed_float16"})(x, {.training = true}).dtype(), DType::float16);
  EXPECT_EQ(test::trained(GaussianNoise(0.25), Tensor::zeros({0, 3})), Values());
  EXPECT_EQ(GaussianNoise(0.25)(Input({.shape = {-1, 3}}), {.training = true}).shape(), (Shape{-1, -1, 3}));
}

TEST(GaussianNoise, RefusesValuesOutsideZeroToOne) {
  for (const double value : {-0.5, 1.5, std::nan("")}) {
    EXPECT_THAT(
        [&] { GaussianNoise layer(value); },
        ThrowsMessage<ValueError>(HasSubstr("Invalid value received for argument `stddev`. Expected a float value "
                                            "between 0 and 1. Received: stddev=")));
  }
  EXPECT_THROW(GaussianNoise::from_config(io::Json::object()), ValueError);
}

TEST(GaussianNoise, ConfigComesBack) {
  const io::Json config = GaussianNoise(0.25, {.seed = 3, .name = "noise"}).get_config();
  EXPECT_EQ(GaussianNoise::from_config(config).get_config(), config);
  EXPECT_EQ(config["stddev"].as_double(), 0.25);
  EXPECT_EQ(config["seed"].as_int(), 3);
}

}  // namespace
}  // namespace rhyton::layers
