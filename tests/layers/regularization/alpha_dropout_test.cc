#include <cmath>
#include <cstddef>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/regularization/alpha_dropout.h>
#include <rhyton/layers/regularization/gaussian_noise.h>
#include <rhyton/tests/layers/regularization/noise.h>

namespace rhyton::layers {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

TEST(AlphaDropout, KeepsMeanAndVariance) {
  // Normally distributed with mean 0 and variance 1.
  const Tensor x = GaussianNoise(1.0, {.seed = 2})(Tensor::zeros({200, 100}), {.training = true});
  const Values y = test::trained(AlphaDropout(0.3, {.seed = 1}), x);
  EXPECT_NEAR(test::mean_of(y), 0, 0.03);
  EXPECT_NEAR(test::variance_of(y), 1, 0.05);
}

TEST(AlphaDropout, DroppedElementsHaveOneValueAndNoGradient) {
  const Tensor x = Tensor::full({200, 100}, 1.0);
  const auto [y, gradient] = test::trained_call(AlphaDropout(0.4, {.seed = 3}), x);
  const double low = -1.7580993408473766;
  const double a = 1 / std::sqrt(0.6 * (1 + 0.4 * low * low));
  const double b = -a * low * 0.4;
  double dropped = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool is_kept = gradient[i] != 0;
    ASSERT_NEAR(gradient[i], is_kept ? a : 0, 1e-6);
    ASSERT_NEAR(y[i], a * (is_kept ? 1 : low) + b, 1e-5);
    dropped += is_kept ? 0 : 1;
  }
  EXPECT_NEAR(dropped / static_cast<double>(y.size()), 0.4, 0.015);
}

TEST(AlphaDropout, DropsTogetherAlongAxesOfTheNoiseShape) {
  const Values y =
      test::trained(AlphaDropout(0.5, {.noise_shape = Shape{-1, 1}, .seed = 3}), Tensor::full({64, 3}, 1.0));
  double different = 0;
  for (std::size_t i = 0; i < y.size(); i += 3) {
    ASSERT_EQ(y[i], y[i + 1]);
    ASSERT_EQ(y[i], y[i + 2]);
    different += y[i] != y[0] ? 1 : 0;
  }
  EXPECT_GT(different, 0);
  const Tensor x = Tensor::zeros({4, 3});
  EXPECT_THROW(test::trained(AlphaDropout(0.5, {.noise_shape = Shape{-1, 2}}), x), ValueError);
  EXPECT_THROW(test::trained(AlphaDropout(0.5, {.noise_shape = Shape{3}}), x), ValueError);
  EXPECT_THROW(test::trained(AlphaDropout(0.5, {.noise_shape = Shape{}}), x), ValueError);
}

TEST(AlphaDropout, HasNoNoiseForARateOfOne) {
  const Layer layer = AlphaDropout(1.0);
  const Tensor x = Tensor::full({2, 3}, 2.0);
  EXPECT_EQ(layer(x).to_vector(), x.to_vector());
  EXPECT_THAT([&] { layer(x, {.training = true}); }, ThrowsMessage<ValueError>(HasSubstr("rate=1.0")));
}

TEST(AlphaDropout, IsRepeatableForASeed) {
  const Tensor x = Tensor::full({4, 6}, 1.0);
  const Layer first = AlphaDropout(0.25, {.seed = 5});
  const Layer second = AlphaDropout(0.25, {.seed = 5});
  const Values drawn = test::trained(first, x);
  EXPECT_EQ(drawn, test::trained(second, x));
  EXPECT_NE(drawn, test::trained(first, x));
  EXPECT_NE(drawn, test::trained(AlphaDropout(0.25, {.seed = 6}), x));
}

TEST(AlphaDropout, DoesNothingOutsideTrainingOrWithoutNoise) {
  const Tensor x = Tensor::from_data<float>({2, 2}, {1, -2, 3, 4});
  EXPECT_EQ(AlphaDropout(0.25)(x).to_vector(), x.to_vector());
  EXPECT_EQ(AlphaDropout(0.25)(x, {.training = false}).to_vector(), x.to_vector());
  EXPECT_EQ(test::trained(AlphaDropout(0.0), x), x.to_vector());
  const Tensor mask = Tensor::from_data<bool>({2, 2}, {true, false, true, true});
  EXPECT_TRUE(AlphaDropout(0.25)(Tensor::zeros({2, 2, 3}).with_mask(mask), {.training = true}).has_mask());
  EXPECT_EQ(AlphaDropout(0.25, {.dtype = "mixed_float16"})(x, {.training = true}).dtype(), DType::float16);
  EXPECT_EQ(test::trained(AlphaDropout(0.25), Tensor::zeros({0, 3})), Values());
  EXPECT_EQ(AlphaDropout(0.25)(Input({.shape = {-1, 3}}), {.training = true}).shape(), (Shape{-1, -1, 3}));
}

TEST(AlphaDropout, RefusesValuesOutsideZeroToOne) {
  for (const double value : {-0.5, 1.5, std::nan("")}) {
    EXPECT_THAT(
        [&] { AlphaDropout layer(value); },
        ThrowsMessage<ValueError>(HasSubstr("Invalid value received for argument `rate`. Expected a float value "
                                            "between 0 and 1. Received: rate=")));
  }
  EXPECT_THROW(AlphaDropout::from_config(io::Json::object()), ValueError);
}

TEST(AlphaDropout, ConfigComesBack) {
  const io::Json config = AlphaDropout(0.25, {.seed = 3, .name = "noise"}).get_config();
  EXPECT_EQ(AlphaDropout::from_config(config).get_config(), config);
  EXPECT_EQ(config["rate"].as_double(), 0.25);
  EXPECT_EQ(config["seed"].as_int(), 3);
}

}  // namespace
}  // namespace rhyton::layers
