#include <cmath>
#include <cstddef>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/regularization/gaussian_dropout.h>
#include <rhyton/tests/layers/regularization/noise.h>

namespace rhyton::layers {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

TEST(GaussianDropout, MultipliesWithNumbersAroundOne) {
  const Tensor x = Tensor::full({200, 100}, 2.0);
  const auto [y, gradient] = test::trained_call(GaussianDropout(0.2, {.seed = 1}), x);
  EXPECT_NEAR(test::mean_of(y), 2, 0.04);
  EXPECT_NEAR(test::variance_of(y), 4 * 0.25, 0.05);
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(gradient[i], y[i] / 2, 1e-6) << i;
}

TEST(GaussianDropout, HasNoNoiseForARateOfOne) {
  const Layer layer = GaussianDropout(1.0);
  const Tensor x = Tensor::full({2, 3}, 2.0);
  EXPECT_EQ(layer(x).to_vector(), x.to_vector());
  EXPECT_THAT([&] { layer(x, {.training = true}); }, ThrowsMessage<ValueError>(HasSubstr("rate=1.0")));
}

TEST(GaussianDropout, IsRepeatableForASeed) {
  const Tensor x = Tensor::full({4, 6}, 1.0);
  const Layer first = GaussianDropout(0.25, {.seed = 5});
  const Layer second = GaussianDropout(0.25, {.seed = 5});
  const Values drawn = test::trained(first, x);
  EXPECT_EQ(drawn, test::trained(second, x));
  EXPECT_NE(drawn, test::trained(first, x));
  EXPECT_NE(drawn, test::trained(GaussianDropout(0.25, {.seed = 6}), x));
}

TEST(GaussianDropout, DoesNothingOutsideTrainingOrWithoutNoise) {
  const Tensor x = Tensor::from_data<float>({2, 2}, {1, -2, 3, 4});
  EXPECT_EQ(GaussianDropout(0.25)(x).to_vector(), x.to_vector());
  EXPECT_EQ(GaussianDropout(0.25)(x, {.training = false}).to_vector(), x.to_vector());
  EXPECT_EQ(test::trained(GaussianDropout(0.0), x), x.to_vector());
  const Tensor mask = Tensor::from_data<bool>({2, 2}, {true, false, true, true});
  EXPECT_TRUE(GaussianDropout(0.25)(Tensor::zeros({2, 2, 3}).with_mask(mask), {.training = true}).has_mask());
  EXPECT_EQ(GaussianDropout(0.25, {.dtype = "mixed_float16"})(x, {.training = true}).dtype(), DType::float16);
  EXPECT_EQ(test::trained(GaussianDropout(0.25), Tensor::zeros({0, 3})), Values());
  EXPECT_EQ(GaussianDropout(0.25)(Input({.shape = {-1, 3}}), {.training = true}).shape(), (Shape{-1, -1, 3}));
}

TEST(GaussianDropout, RefusesValuesOutsideZeroToOne) {
  for (const double value : {-0.5, 1.5, std::nan("")}) {
    EXPECT_THAT(
        [&] { GaussianDropout layer(value); },
        ThrowsMessage<ValueError>(HasSubstr("Invalid value received for argument `rate`. Expected a float value "
                                            "between 0 and 1. Received: rate=")));
  }
  EXPECT_THROW(GaussianDropout::from_config(io::Json::object()), ValueError);
}

TEST(GaussianDropout, ConfigComesBack) {
  const io::Json config = GaussianDropout(0.25, {.seed = 3, .name = "noise"}).get_config();
  EXPECT_EQ(GaussianDropout::from_config(config).get_config(), config);
  EXPECT_EQ(config["rate"].as_double(), 0.25);
  EXPECT_EQ(config["seed"].as_int(), 3);
}

}  // namespace
}  // namespace rhyton::layers
