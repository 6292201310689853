#include <rhyton/layers/preprocessing/stft_spectrogram.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;

Shape spectrogram_shape(const Shape& input, const STFTSpectrogramOptions& options) {
  return STFTSpectrogram(options)(Input({.shape = input})).shape();
}

TEST(STFTSpectrogram, InfersShapes) {
  EXPECT_EQ(spectrogram_shape({1000, 2}, {}), (Shape{-1, 6, 258}));
  EXPECT_EQ(spectrogram_shape({1000, 2}, {.padding = "same"}), (Shape{-1, 8, 258}));
  EXPECT_EQ(spectrogram_shape({1000, 2}, {.frame_step = 100, .fft_length = 512, .expand_dims = true}),
            (Shape{-1, 8, 257, 2}));
  EXPECT_EQ(spectrogram_shape({-1, 2}, {.mode = "stft"}), (Shape{-1, -1, 516}));
  EXPECT_EQ(spectrogram_shape({2, -1}, {.data_format = "channels_first"}), (Shape{-1, 258, -1}));
  EXPECT_EQ(spectrogram_shape({2, 1000}, {.expand_dims = true, .data_format = "channels_first"}),
            (Shape{-1, 2, 6, 129}));
}

TEST(STFTSpectrogram, WeightsDependOnTheMode) {
  const auto names = [](const STFTSpectrogramOptions& options) {
    const STFTSpectrogram layer(options);
    layer.build({-1, 10, 2});
    std::vector<std::string> result;
    for (const Variable& weight : layer.weights()) {
      EXPECT_EQ(weight.shape(), (Shape{6, 1, 5}));
      EXPECT_EQ(weight.trainable(), options.trainable);
      result.push_back(weight.name());
    }
    return result;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({.mode = "real", .frame_length = 6}), Names{"real_kernel"});
  EXPECT_EQ(names({.mode = "imag", .frame_length = 6}), Names{"imag_kernel"});
  EXPECT_EQ(names({.frame_length = 6, .trainable = false}), (Names{"real_kernel", "imag_kernel"}));
}

TEST(STFTSpectrogram, ConfigurationComesBack) {
  const STFTSpectrogram layer({.mode = "psd",
                               .frame_length = 4,
                               .frame_step = 3,
                               .window = {1.0, 2.0, 2.0, 1.0},
                               .periodic = true,
                               .scaling = std::nullopt,
                               .padding = "same",
                               .expand_dims = true,
                               .data_format = "channels_first",
                               .name = "spectrum",
                               .trainable = false});
  EXPECT_EQ(
      layer.get_config().dump(),
      R"({"name": "spectrum", "trainable": false, "dtype": "float32", "mode": "psd", "frame_length": 4, )"
      R"("frame_step": 3, )"
      R"("fft_length": null, "window": [1.0, 2.0, 2.0, 1.0], "periodic": true, "scaling": null, "padding": "same", )"
      R"("data_format": "channels_first", "expand_dims": true})");
  EXPECT_EQ(STFTSpectrogram::from_config(layer.get_config()).get_config(), layer.get_config());
  // Null is no window, and not the default.
  const STFTSpectrogram without({.window = std::nullopt, .name = "without"});
  EXPECT_TRUE(without.get_config()["window"].is_null());
  EXPECT_EQ(STFTSpectrogram::from_config(without.get_config()).get_config(), without.get_config());
}

TEST(STFTSpectrogram, RefusesArgumentsInKerasWords) {
  const auto message = [](const STFTSpectrogramOptions& options) {
    return message_of<ValueError>([&] { STFTSpectrogram{options}; });
  };
  EXPECT_EQ(message({.frame_step = 0}),
            "`frame_step` should be a positive integer not greater than `frame_length`. Received frame_step=0, "
            "frame_length=256");
  EXPECT_EQ(message({.frame_step = 300}),
            "`frame_step` should be a positive integer not greater than `frame_length`. Received frame_step=300, "
            "frame_length=256");
  EXPECT_EQ(message({.fft_length = 20}),
            "`fft_length` should be not less than `frame_length`. Received fft_length=20, frame_length=256");
  EXPECT_EQ(message({.frame_length = 0}),
            "`frame_length` should be a positive integer of at most 2^62. Received frame_length=0");
  EXPECT_EQ(message({.mode = "Log"}),
            "Output mode is invalid, it must be one of log, magnitude, psd, real, imag, angle, stft. Received: "
            "mode=Log");
  EXPECT_EQ(message({.scaling = "no"}),
            "Scaling is invalid, it must be `None`, 'density' or 'spectrum'. Received scaling=no");
  EXPECT_EQ(message({.padding = "SAME"}), "Padding is invalid, it should be 'valid', 'same'. Received: padding=SAME");
  EXPECT_EQ(message({.window = "gaussian"}), "'gaussian' must have parameters, but window='gaussian'!");
}

TEST(STFTSpectrogram, RefusesInputsInKerasWords) {
  const STFTSpectrogram layer({.frame_length = 4, .name = "spectrum"});
  EXPECT_NE(message_of<TypeError>([&] {
              layer(Tensor::from_data<std::int32_t>({1, 2, 1}, {1, 2}));
            }).find("Invalid input type. Expected `float16`, `float32` or `float64`. Received: input type=int32"),
            std::string::npos);
  EXPECT_NE(message_of<TypeError>([] {
              STFTSpectrogram({.frame_length = 4, .dtype = "mixed_bfloat16"})(Tensor::zeros({1, 8, 1}));
            }).find("Received: input type=bfloat16"),
            std::string::npos);
  EXPECT_NE(message_of<ValueError>([&] {
              layer(Tensor::zeros({1, 8}));
            }).find("expected ndim=3, found ndim=2"),
            std::string::npos);
  EXPECT_NE(message_of<ValueError>([&] {
              layer(Input({.shape = {3, 1}}));
            })
                .find("Computed output size would be zero or negative. Received `inputs shape=(None, 3, 1)`, `kernel "
                      "shape=(4, 1, 3)`, `dilation_rate=[1]`, `strides=(2,)`, `padding=valid`."),
            std::string::npos);
  EXPECT_THROW(layer(Tensor::zeros({1, 3, 1})), ValueError);
}

TEST(STFTSpectrogram, ComputesInTheDtypesOfItsPolicy) {
  const Tensor x = Tensor::from_data<float>({1, 6, 1}, {0.5f, -1.0f, 2.0f, 0.25f, -0.5f, 1.0f});
  const auto spectrum = [&](const char* dtype) {
    const STFTSpectrogram layer({.mode = "psd", .frame_length = 4, .dtype = dtype});
    return layer(x);
  };
  EXPECT_EQ(spectrum("float64").dtype(), DType::float64);
  EXPECT_EQ(spectrum("mixed_float16").dtype(), DType::float16);
  const std::vector<double> exact = spectrum("float64").to_vector();
  const std::vector<double> half = spectrum("mixed_float16").to_vector();
  ASSERT_EQ(half.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(half[i], exact[i], 0.02);
}

TEST(STFTSpectrogram, KernelsAreTrained) {
  const STFTSpectrogram layer({.mode = "magnitude", .frame_length = 4, .padding = "same"});
  const models::Sequential model({Input({.shape = {-1, 2}}), layer});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const std::vector<Tensor> before = layer.get_weights();
  const Tensor x = Tensor::from_data<float>({1, 4, 2}, {1, 2, -1, 0, 3, 1, -2, 1});
  model.fit(x, Tensor::zeros({1, 2, 6}), {.verbose = 0});
  ASSERT_EQ(before.size(), 2U);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NE(layer.get_weights()[i].to_vector(), before[i].to_vector());
  }
}

}  // namespace
}  // namespace rhyton::layers
