// The layers that change the colours of images, compared with Keras. Random ones have ranges of one number.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/layers/golden_cases.h>

namespace rhyton::layers {
namespace {

using test::GoldenCases;
using test::role;

const GoldenCases& colour_cases() {
  static const GoldenCases cases("colour_layers");
  return cases;
}

/// Of a result, relative to its largest value. Half types keep 11 and 8 bits; conversions between colour spaces round
/// in several places.
double tolerance_of(DType dtype) {
  if (dtype == DType::float16) return 4e-3;
  return dtype == DType::bfloat16 ? 3e-2 : 5e-6;
}

bool is_default(const std::string& key, const io::Json& value) {
  return (key == "data_format" && value == io::Json("channels_last")) ||
         (key == "value_range" && value == io::Json::array({0, 255}));
}

class ColourLayers : public ::testing::TestWithParam<std::string> {};

TEST_P(ColourLayers, EqualsKeras) {
  const io::Json& golden = colour_cases().find(GetParam());
  const Layer layer = deserialize(golden);
  const Tensor images = colour_cases().array(golden, "input0");
  const Tensor output = layer(images, {.training = golden["training"].as_bool()});
  EXPECT_EQ(name_of(output.dtype()), golden["output"]["dtype"].as_string());
  const std::int64_t alternatives = golden["alternatives"].as_int();
  if (alternatives == 1) {
    test::expect_close(output, colour_cases().array(golden, "output0"), tolerance_of(output.dtype()), "output");
    return;
  }
  for (std::int64_t image = 0; image < images.shape()[0]; ++image) {
    double least = 1;
    for (std::int64_t i = 0; i < alternatives; ++i) {
      const Tensor expected = colour_cases().array(golden, role("output", static_cast<std::size_t>(i)));
      least = std::min(least, test::relative_difference(slice_axis(output, 0, image, image + 1),
                                                        slice_axis(expected, 0, image, image + 1)));
    }
    EXPECT_LE(least, tolerance_of(output.dtype())) << "image " << image;
  }
}

TEST_P(ColourLayers, WritesTheConfigOfKeras) {
  const io::Json& golden = colour_cases().find(GetParam());
  const io::Json config = deserialize(golden).get_config();
  std::vector<std::string> keys;
  for (const auto& [key, value] : config.items()) keys.push_back(key);
  std::vector<std::string> expected;
  for (const auto& [key, value] : golden["config"].items()) {
    // Older versions refuse some arguments, which are left out where they are the default.
    if (config.find(key) == nullptr && is_default(key, value)) continue;
    expected.push_back(key);
    EXPECT_EQ(config[key], value.is_object() ? value["config"]["name"] : value) << key;
  }
  EXPECT_EQ(keys, expected);
}

INSTANTIATE_TEST_SUITE_P(All, ColourLayers, ::testing::ValuesIn(colour_cases().names()),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace rhyton::layers
