#include <rhyton/layers/preprocessing/mel_spectrogram.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;

/// A short transform: frames of 8 samples, a new one after 3.
MelSpectrogramOptions brief() {
  return {.fft_length = 8, .sequence_stride = 3, .sampling_rate = 100, .num_mel_bins = 4};
}

Tensor wave(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 7) % 11) - 5.0f;
  return Tensor::from_data<float>(shape, values);
}

Tensor spectrogram(const MelSpectrogramOptions& options, const Tensor& x) {
  const MelSpectrogram layer(options);
  return layer(x);
}

TEST(MelSpectrogram, InfersTheShapesThatItComputes) {
  for (std::int64_t fft_length : {7, 8}) {
    for (std::int64_t time = 17; time < 24; ++time) {
      MelSpectrogramOptions options = brief();
      options.fft_length = fft_length;
      const MelSpectrogram layer(options);
      const Shape inferred = layer(Input({.shape = {time}})).shape();
      EXPECT_EQ(inferred.with(0, 2), layer(wave({2, time})).shape());
      EXPECT_EQ(inferred[1], 4);
    }
  }
  EXPECT_EQ(MelSpectrogram()(Input({.shape = {-1}})).shape(), (Shape{-1, 128, -1}));
  EXPECT_EQ(MelSpectrogram()(Input({.shape = {16000}})).shape(), (Shape{-1, 128, 32}));
  EXPECT_EQ(spectrogram(brief(), wave({20})).shape(), (Shape{4, 7}));
}

TEST(MelSpectrogram, IsPartOfAModelOfSignalsOfAnyLength) {
  const models::Sequential model({Input({.shape = {-1}}), MelSpectrogram(brief())});
  EXPECT_EQ(model.predict(wave({3, 20}), {.verbose = 0}).shape(), (Shape{3, 4, 7}));
  EXPECT_EQ(model.predict(wave({1, 30}), {.verbose = 0}).shape(), (Shape{1, 4, 11}));
}

TEST(MelSpectrogram, CutsOffBelowTheLargestValueOfTheBatch) {
  MelSpectrogramOptions options = brief();
  options.top_db = 3.0;
  const std::vector<double> values = spectrogram(options, wave({2, 20})).to_vector();
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  EXPECT_NEAR(*largest - *least, 3.0, 1e-5);
}

TEST(MelSpectrogram, ReturnsTheComputeDtype) {
  const auto dtype_of = [](const char* dtype) {
    MelSpectrogramOptions options = brief();
    options.dtype = dtype;
    const MelSpectrogram layer(options);
    EXPECT_EQ(layer(Input({.shape = {20}})).dtype(), layer(wave({2, 20})).dtype());
    return layer(wave({2, 20})).dtype();
  };
  EXPECT_EQ(dtype_of("float32"), DType::float32);
  EXPECT_EQ(dtype_of("float64"), DType::float64);
  EXPECT_EQ(dtype_of("mixed_float16"), DType::float16);
  EXPECT_EQ(dtype_of("mixed_bfloat16"), DType::bfloat16);
}

TEST(MelSpectrogram, ConfigurationHasTheResolvedArguments) {
  EXPECT_EQ(MelSpectrogram({.fft_length = 8, .window = std::nullopt, .sampling_rate = 101, .name = "mel"})
                .get_config()
                .dump(),
            R"({"name": "mel", "trainable": true, "dtype": "float32", "fft_length": 8, "sequence_stride": 512, )"
            R"("sequence_length": 8, "window": null, "sampling_rate": 101, "num_mel_bins": 128, "min_freq": 20.0, )"
            R"("max_freq": 50, )"
            R"("power_to_db": true, "top_db": 80.0, "mag_exp": 2.0, "min_power": 1e-10, "ref_power": 1.0})");
  const MelSpectrogram layer({.sequence_length = 2, .window = {0.5, 1.0}, .max_freq = 30.5});
  EXPECT_EQ(MelSpectrogram::from_config(layer.get_config()).get_config(), layer.get_config());
}

TEST(MelSpectrogram, RefusesArguments) {
  const auto message = [](const MelSpectrogramOptions& options) {
    return message_of<ValueError>([&] { MelSpectrogram{options}; });
  };
  EXPECT_EQ(message({.fft_length = 4, .sequence_length = 5}),
            "`fft_length` must be greater than or equal to   `sequence_length`. Received: `sequence_length`=5, "
            "`fft_length`=4.");
  EXPECT_EQ(message({.fft_length = 0}), "`sequence_length` must be a positive integer. Received: sequence_length=0");
  EXPECT_EQ(message({.sequence_stride = 0}),
            "`sequence_stride` must be a positive integer. Received: sequence_stride=0");
  EXPECT_EQ(message({.num_mel_bins = 0}), "`num_mel_bins` must be a positive integer. Received: num_mel_bins=0");
}

TEST(MelSpectrogram, RefusesWindowsAndInputsWhenCalled) {
  MelSpectrogramOptions options = brief();
  options.window = "blackman";
  EXPECT_NE(message_of<ValueError>([&] { spectrogram(options, wave({20})); })
                .find("If a string is passed to `window`, it must be one of `\"hann\"`, `\"hamming\"`. Received: "
                      "window=blackman"),
            std::string::npos);
  options.window = {1.0, 2.0};
  EXPECT_NE(message_of<ValueError>([&] {
              spectrogram(options, wave({20}));
            }).find("The shape of `window` must be equal to [sequence_length]."),
            std::string::npos);
  EXPECT_THROW(spectrogram(brief(), wave({4})), InvalidArgumentError);
  EXPECT_THROW(spectrogram(brief(), Tensor::zeros({})), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
