#include <rhyton/layers/stft_initializer.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::initializers {
namespace {

using layers::Initializer;
using test::message_of;

TEST(STFTInitializer, HasTheNamesOfKeras) {
  for (const char* const name : {"STFT", "stft", "STFTInitializer"}) {
    const io::Json config = Initializer(name).to_config();
    EXPECT_EQ(config["class_name"].as_string(), "STFT");
    EXPECT_EQ(config, STFT().to_config());
  }
}

TEST(STFTInitializer, KernelIsTheTransformTimesTheWindow) {
  const std::vector<double> window = {0.5, 1.0, -2.0, 1.5};
  const auto kernel = [&](const char* side, const std::optional<std::string>& scaling) {
    return STFT({.side = side, .window = window, .scaling = scaling})({4, 1, 5}, DType::float64).to_vector();
  };
  const double norm = std::sqrt(0.25 + 1.0 + 4.0 + 2.25);
  for (std::size_t t = 0; t < 4; ++t) {
    for (std::size_t f = 0; f < 5; ++f) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(t * f) / 8;
      const std::size_t i = t * 5 + f;
      const double factor = window[t];
      EXPECT_NEAR(kernel("real", std::nullopt)[i], factor * std::cos(angle), 1e-14);
      EXPECT_NEAR(kernel("imag", "density")[i], factor * std::sin(angle) / norm, 1e-14);
      EXPECT_NEAR(kernel("imag", "spectrum")[i], factor * std::sin(angle) / 5.0, 1e-14);
    }
  }
}

TEST(STFTInitializer, NamesSayWhetherAWindowIsPeriodic) {
  const auto kernel = [](const char* window, bool periodic) {
    return STFT({.window = window, .periodic = periodic})({6, 1, 5}).to_vector();
  };
  EXPECT_NE(kernel("hann", false), kernel("hann", true));
  EXPECT_EQ(kernel("hann_periodic", false), kernel("hann", true));
  EXPECT_EQ(kernel("hann_symmetric", true), kernel("hann", false));
}

TEST(STFTInitializer, ReadsWindowsInAllFormsOfKeras) {
  const auto window_of = [](const std::string& window) {
    const io::Json config = io::Json::parse(R"({"class_name": "STFT", "config": {"window": )" + window + "}}");
    return Initializer::from_config(config).to_config()["config"]["window"].dump();
  };
  EXPECT_EQ(window_of("null"), "null");
  EXPECT_EQ(window_of("\"tukey\""), "\"tukey\"");
  EXPECT_EQ(window_of("[1.5, 2]"), "[1.5, 2.0]");
  EXPECT_EQ(window_of(R"({"class_name": "__tuple__", "items": [1.5, 2.0]})"), "[1.5, 2.0]");
  EXPECT_EQ(window_of(R"({"class_name": "__numpy__", "config": {"value": [1.5, 2.0], "dtype": "float32"}})"),
            "[1.5, 2.0]");
  EXPECT_EQ(window_of(R"({"class_name": "__tensor__", "config": {"value": [1.5, 2.0], "dtype": "float32"}})"),
            "[1.5, 2.0]");
  EXPECT_EQ(message_of<TypeError>([&] { window_of("true"); }),
            "The argument `window` of initializer STFT must be a string or a list of numbers. Received: window=true");
}

TEST(STFTInitializer, RefusesArgumentsInTheWordsOfKerasAndSciPy) {
  const auto message = [](const STFTOptions& options) { return message_of<ValueError>([&] { STFT{options}; }); };
  EXPECT_EQ(message({.side = "left"}), "side should be 'real' or 'imag', not left");
  EXPECT_EQ(message({.scaling = "no"}),
            "Scaling is invalid, it must be `None`, 'density' or 'spectrum'. Received scaling=no");
  EXPECT_EQ(message({.window = "hanning"}), "Invalid window name 'hanning' in parameter window='hanning'!");
  EXPECT_EQ(message({.window = "x_periodic"}), "Invalid window name 'x' in parameter window='x_periodic'!");
  EXPECT_EQ(message({.window = ""}), "Invalid window name '' in parameter window=''!");
  EXPECT_EQ(message({.window = "kaiser"}), "'kaiser' must have parameters, but window='kaiser'!");
}

TEST(STFTInitializer, RefusesShapesThatItCannotFill) {
  const auto message = [](const STFTOptions& options, const Shape& shape) {
    return message_of<ValueError>([&] { STFT{options}(shape); });
  };
  EXPECT_EQ(message({}, {4, 5}),
            "STFT initializer can only be used for shapes (frame_length, 1, frequencies). Received: shape=(4, 5).");
  EXPECT_EQ(message({}, {4, 2, 5}),
            "STFT initializer can only be used for shapes (frame_length, 1, frequencies). Received: shape=(4, 2, 5).");
  EXPECT_EQ(message({.window = {1.0, 2.0}}, {4, 1, 3}),
            "The shape of `window` must be equal to [frame_length].Received: window shape=(2,)");
  EXPECT_EQ(message({}, {0, 1, 3}), "Parameter Nx=0 is not a positive integer");
}

}  // namespace
}  // namespace rhyton::initializers
