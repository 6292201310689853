#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/regularization/spatial_dropout1d.h>
#include <rhyton/layers/regularization/spatial_dropout2d.h>
#include <rhyton/layers/regularization/spatial_dropout3d.h>
#include <rhyton/tests/layers/regularization/noise.h>

namespace rhyton::layers {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

/// Expects 0 or 1 / (1 - rate) in each channel of each sample of ones, and returns the fraction that is dropped.
double dropped_fraction(const Layer& layer, const Shape& shape, bool channels_first, double rate) {
  const auto [y, gradient] = test::trained_call(layer, Tensor::full(shape, 1.0));
  EXPECT_EQ(y, gradient);
  const int channel_axis = channels_first ? 1 : shape.rank() - 1;
  const auto channels = static_cast<std::size_t>(shape[channel_axis]);
  const std::size_t per_sample = y.size() / static_cast<std::size_t>(shape[0]);
  std::vector<double> values(static_cast<std::size_t>(shape[0]) * channels, -1);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t within = i % per_sample;
    const std::size_t channel = channels_first ? within / (per_sample / channels) : within % channels;
    double& value = values[i / per_sample * channels + channel];
    if (value < 0) value = y[i];
    EXPECT_EQ(value, y[i]) << i;
  }
  double dropped = 0;
  for (const double value : values) {
    if (value != 0) {
      EXPECT_NEAR(value, 1 / (1 - rate), 1e-6);
    }
    dropped += value == 0 ? 1 : 0;
  }
  return dropped / static_cast<double>(values.size());
}

TEST(SpatialDropout, DropsWholeChannelsOfEachSample) {
  EXPECT_NEAR(dropped_fraction(SpatialDropout1D(0.3, {.seed = 1}), {100, 3, 40}, false, 0.3), 0.3, 0.03);
  EXPECT_NEAR(dropped_fraction(SpatialDropout2D(0.6, {.seed = 1}), {100, 2, 3, 40}, false, 0.6), 0.6, 0.03);
  EXPECT_NEAR(
      dropped_fraction(SpatialDropout2D(0.5, {.data_format = "channels_first", .seed = 1}), {100, 40, 2, 3}, true, 0.5),
      0.5, 0.03);
  EXPECT_NEAR(dropped_fraction(SpatialDropout3D(0.25, {.seed = 1}), {100, 2, 1, 3, 40}, false, 0.25), 0.25, 0.03);
  EXPECT_NEAR(dropped_fraction(SpatialDropout3D(0.5, {.data_format = "channels_first", .seed = 1}), {100, 40, 2, 1, 2},
                               true, 0.5),
              0.5, 0.03);
}

TEST(SpatialDropout, IsRepeatableForASeed) {
  const Tensor x = Tensor::full({4, 2, 8}, 1.0);
  const Layer first = SpatialDropout1D(0.5, {.seed = 5});
  const Values drawn = test::trained(first, x);
  EXPECT_EQ(drawn, test::trained(SpatialDropout1D(0.5, {.seed = 5}), x));
  EXPECT_NE(drawn, test::trained(first, x));
}

TEST(SpatialDropout, DoesNothingOutsideTrainingOrWithoutRate) {
  const Tensor x = Tensor::full({2, 3, 4}, 2.0);
  EXPECT_EQ(SpatialDropout1D(0.5)(x).to_vector(), x.to_vector());
  EXPECT_EQ(test::trained(SpatialDropout1D(0.0), x), x.to_vector());
  EXPECT_EQ(test::trained(SpatialDropout1D(1.0), x), Values(24, 0.0));
  EXPECT_EQ(SpatialDropout1D(0.5)(Tensor::zeros({2, 0, 4}), {.training = true}).shape(), (Shape{2, 0, 4}));
  const Tensor mask = Tensor::from_data<bool>({2, 3}, {true, false, true, true, true, false});
  EXPECT_TRUE(SpatialDropout1D(0.5)(x.with_mask(mask), {.training = true}).has_mask());
  EXPECT_EQ(SpatialDropout1D(0.5, {.dtype = "mixed_float16"})(x, {.training = true}).dtype(), DType::float16);
}

TEST(SpatialDropout, LengthsMayBeUnknown) {
  EXPECT_EQ(SpatialDropout2D(0.5)(Input({.shape = {-1, -1, 3}}), {.training = true}).shape(), (Shape{-1, -1, -1, 3}));
}

TEST(SpatialDropout, WritesWhatKerasWrites) {
  const io::Json config = SpatialDropout2D(0.5, {.data_format = "channels_first", .name = "drop"}).get_config();
  EXPECT_EQ(config.dump(),
            R"({"name": "drop", "dtype": "float32", "rate": 0.5, "seed": null, "data_format": "channels_first"})");
  EXPECT_EQ(SpatialDropout2D::from_config(config).get_config(), config);
  // Keras 2 writes these too.
  io::Json older = SpatialDropout1D(0.5, {.name = "drop"}).get_config();
  older["trainable"] = true;
  older["noise_shape"] = nullptr;
  EXPECT_EQ(SpatialDropout1D::from_config(older).get_config().find("trainable"), nullptr);
}

TEST(SpatialDropout, RefusesOtherRanksRatesAndFormats) {
  EXPECT_THAT([] { SpatialDropout2D layer(1.5); },
              ThrowsMessage<ValueError>(HasSubstr("Invalid value received for argument `rate`. Expected a float value "
                                                  "between 0 and 1. Received: rate=1.5")));
  EXPECT_THROW(SpatialDropout3D(0.5, {.data_format = "channels_middle"}), ValueError);
  EXPECT_THROW(SpatialDropout1D(0.5)(Tensor::zeros({2, 3})), ValueError);
  EXPECT_THROW(SpatialDropout2D(0.5)(Tensor::zeros({2, 3, 4})), ValueError);
  EXPECT_THROW(SpatialDropout3D(0.5)(Tensor::zeros({2, 3, 4, 5})), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
