// CategoryEncoding and Discretization compared with Keras, and the boundaries that Discretization finds in data.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/preprocessing/discretization.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/layers/golden_cases.h>

namespace rhyton::layers {
namespace {

const test::GoldenCases& golden_categories() {
  static const test::GoldenCases cases("category_layers");
  return cases;
}

std::vector<double> values_of(const io::Json& list) {
  std::vector<double> values;
  for (const io::Json& value : list) values.push_back(value.as_double());
  return values;
}

Tensor inline_tensor(const io::Json& described) {
  Shape shape;
  for (const io::Json& length : described["shape"]) shape.push_back(length.as_int());
  return cast(Tensor::from_data<double>(shape, values_of(described["values"])),
              dtype_from_name(described["dtype"].as_string()));
}

std::vector<std::string> names_of(bool are_adapted) {
  std::vector<std::string> names;
  for (const std::string& name : golden_categories().names()) {
    if (name.starts_with("adapt/") == are_adapted) names.push_back(name);
  }
  return names;
}

class GoldenCategories : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenCategories, EqualKeras) {
  const io::Json& golden = golden_categories().find(GetParam());
  CallOptions options;
  for (const auto& [key, value] : golden["arguments"].items()) options.kwargs.emplace_back(key, inline_tensor(value));
  const Tensor output = deserialize(golden)(inline_tensor(golden["input"]), options);
  const Tensor expected = inline_tensor(golden["output"]);
  EXPECT_EQ(output.shape(), expected.shape());
  EXPECT_EQ(output.dtype(), expected.dtype());
  EXPECT_EQ(output.to_vector(), expected.to_vector());
}

TEST_P(GoldenCategories, WriteTheConfigOfKeras) {
  const io::Json& golden = golden_categories().find(GetParam());
  const io::Json config = deserialize(golden).get_config();
  EXPECT_EQ(config.size(), golden["config"].size());
  for (const auto& [key, expected] : golden["config"].items()) {
    EXPECT_EQ(config[key], expected.is_object() ? expected["config"]["name"] : expected) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenCategories, ::testing::ValuesIn(names_of(false)),
                         [](const auto& info) { return test::test_name(info.param); });

/// The numbers of a batch, as make_category_layers.py makes them.
Tensor numbers_of(const io::Json& golden, const io::Json& batch) {
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < batch[0].as_int(); ++i) {
    const std::int64_t number = (batch[1].as_int() * i + batch[2].as_int()) % golden["modulus"].as_int();
    const double value = static_cast<double>(number) / golden["divisor"].as_double();
    numbers.push_back(static_cast<float>(golden["is_cubed"].as_bool() ? value * value * value : value));
  }
  return Tensor::from_data<float>({static_cast<std::int64_t>(numbers.size())}, numbers);
}

class GoldenBoundaries : public ::testing::TestWithParam<std::string> {};

// To the bit.
TEST_P(GoldenBoundaries, EqualKeras) {
  const io::Json& golden = golden_categories().find(GetParam());
  std::vector<Tensor> batches;
  for (const io::Json& batch : golden["batches"]) batches.push_back(numbers_of(golden, batch));
  const Discretization layer({.num_bins = golden["num_bins"].as_int(), .epsilon = golden["epsilon"].as_double()});
  layer.adapt(batches);
  EXPECT_EQ(layer.bin_boundaries(), values_of(golden["bin_boundaries"]));
}

INSTANTIATE_TEST_SUITE_P(All, GoldenBoundaries, ::testing::ValuesIn(names_of(true)),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace rhyton::layers
