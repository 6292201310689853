#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/leaky_relu.h>
#include <rhyton/layers/core/input.h>

namespace rhyton::layers {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

TEST(LeakyReLU, ScalesNegativeValues) {
  const Tensor x = Tensor::from_data<float>({4}, {-2, -1, 0, 3});
  EXPECT_EQ(LeakyReLU({.negative_slope = 0.5})(x).to_vector(), (Values{-1, -0.5, 0, 3}));
  EXPECT_FLOAT_EQ(static_cast<float>(LeakyReLU()(x).to_vector()[0]), -0.6F);
  EXPECT_EQ(LeakyReLU()(Input({.shape = {-1, 3}})).shape(), (Shape{-1, -1, 3}));
  EXPECT_EQ(LeakyReLU({.dtype = "mixed_float16"})(x).dtype(), DType::float16);
}

TEST(LeakyReLU, ReadsTheArgumentOfKeras2) {
  const auto slope_of = [](const io::Json& config) {
    return LeakyReLU::from_config(config).get_config()["negative_slope"].as_double();
  };
  EXPECT_EQ(slope_of(io::Json::object({{"alpha", 0.125}})), 0.125);
  EXPECT_EQ(slope_of(io::Json::object({{"negative_slope", 0.25}})), 0.25);
  EXPECT_EQ(slope_of(io::Json::object({{"negative_slope", 0.25}, {"alpha", 0.125}})), 0.125);
  EXPECT_EQ(slope_of(io::Json::object()), 0.3);
}

TEST(LeakyReLU, RefusesNegativeSlopes) {
  EXPECT_THAT([] { LeakyReLU({.negative_slope = -1.0}); },
              ThrowsMessage<ValueError>(
                  HasSubstr("The negative_slope value of a Leaky ReLU layer cannot be None or negative value. Expected "
                            "a float. Received: negative_slope=-1.0")));
  for (const char* const key : {"negative_slope", "alpha"}) {
    EXPECT_THAT(
        [&] {
          LeakyReLU::from_config(io::Json::object({{key, nullptr}}));
        },
        ThrowsMessage<ValueError>(HasSubstr("negative_slope=None")));
  }
}

}  // namespace
}  // namespace rhyton::layers
