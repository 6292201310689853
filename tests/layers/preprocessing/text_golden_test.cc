// StringLookup, IntegerLookup, TextVectorization, Hashing and HashedCrossing compared with Keras.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/layers/preprocessing/hashed_crossing.h>
#include <rhyton/layers/preprocessing/hashing.h>
#include <rhyton/layers/preprocessing/integer_lookup.h>
#include <rhyton/layers/preprocessing/string_lookup.h>
#include <rhyton/layers/preprocessing/text_vectorization.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/golden_bytes.h>

namespace rhyton::layers {
namespace {

using test::bytes_of;

const test::GoldenCases& golden_texts() {
  static const test::GoldenCases cases("text_layers");
  return cases;
}

Shape shape_of(const io::Json& described) {
  Shape shape;
  for (const io::Json& length : described["shape"]) shape.push_back(length.as_int());
  return shape;
}

bool is_text(const io::Json& described) { return described["dtype"].as_string() == "string"; }

StringTensor strings_of(const io::Json& described) {
  std::vector<std::string> strings;
  for (const io::Json& value : described["values"]) strings.push_back(bytes_of(value.as_string()));
  return {shape_of(described), std::move(strings)};
}

Tensor numbers_of(const io::Json& described) {
  const DType dtype = dtype_from_name(described["dtype"].as_string());
  if (dtype == DType::int64) {
    std::vector<std::int64_t> values;
    for (const io::Json& value : described["values"]) values.push_back(value.as_int());
    return Tensor::from_data<std::int64_t>(shape_of(described), values);
  }
  std::vector<double> values;
  for (const io::Json& value : described["values"]) {
    values.push_back(value.is_bool() ? (value.as_bool() ? 1.0 : 0.0) : value.as_double());
  }
  return cast(Tensor::from_data<double>(shape_of(described), values), dtype);
}

/// The tokens in the form of the file.
io::Json listed(const std::vector<std::string>& tokens) { return io::Json::array_from(tokens); }
io::Json listed(const std::vector<std::int64_t>& tokens) { return io::Json::array_from(tokens); }

template <class Batch, class Layer, class Read>
void adapt(const Layer& layer, const io::Json& golden, const Read& read) {
  const io::Json* const described = golden.find("batches");
  if (described == nullptr) return;
  std::vector<Batch> batches;
  for (const io::Json& batch : *described) batches.push_back(read(batch));
  if (batches.size() == 1) {
    layer.adapt(batches.front());
  } else {
    layer.adapt(batches);
  }
}

template <class Layer>
void expect_vocabulary(const Layer& layer, const io::Json& golden) {
  std::vector<io::Json> expected;
  for (const io::Json& token : golden["vocabulary"]) {
    expected.push_back(token.is_string() ? io::Json(bytes_of(token.as_string())) : token);
  }
  EXPECT_EQ(listed(layer.get_vocabulary()), io::Json::array_from(expected));
  EXPECT_EQ(layer.vocabulary_size(), golden["vocabulary_size"].as_int());
}

void expect_output(const Tensor& output, const io::Json& golden) {
  const io::Json& described = golden["output"];
  EXPECT_EQ(std::string(name_of(output.dtype())), described["dtype"].as_string());
  if (output.dtype() == string_dtype) {
    EXPECT_EQ(StringTensor::of(output), strings_of(described));
    return;
  }
  const Tensor expected = numbers_of(described);
  ASSERT_EQ(output.shape(), expected.shape());
  if (is_floating(expected.dtype())) {
    const std::vector<double> values = output.to_vector();
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_FLOAT_EQ(static_cast<float>(values[i]), static_cast<float>(expected.to_vector()[i])) << i;
    }
  } else {
    EXPECT_EQ(cast(output, DType::int64).to_vector(), cast(expected, DType::int64).to_vector());
    if (output.dtype() == DType::int64) {
      const auto actual = output.elements<std::int64_t>();
      EXPECT_TRUE(std::equal(actual.begin(), actual.end(), expected.elements<std::int64_t>().begin()));
    }
  }
}

/// What the call gives, or the error that Keras has.
template <class Call>
void expect_result(const io::Json& golden, const Call& call) {
  const io::Json* const error = golden.find("error");
  if (error == nullptr) {
    expect_output(call(), golden);
    return;
  }
  try {
    call();
    ADD_FAILURE() << "Keras: " << error->as_string();
  } catch (const Error& thrown) {
    EXPECT_THAT(thrown.what(), ::testing::HasSubstr(error->as_string()));
  }
}

void check(const StringLookup& layer, const io::Json& golden) {
  adapt<StringTensor>(layer, golden, strings_of);
  expect_vocabulary(layer, golden);
  const io::Json& input = golden["inputs"][0];
  if (is_text(input)) {
    expect_result(golden, [&] { return layer(strings_of(input)); });
  } else {
    expect_result(golden, [&] { return layer(numbers_of(input)); });
  }
}

void check(const TextVectorization& layer, const io::Json& golden) {
  adapt<StringTensor>(layer, golden, strings_of);
  expect_vocabulary(layer, golden);
  expect_result(golden, [&] { return layer(strings_of(golden["inputs"][0])); });
}

void check(const IntegerLookup& layer, const io::Json& golden) {
  adapt<Tensor>(layer, golden, numbers_of);
  expect_vocabulary(layer, golden);
  expect_result(golden, [&] { return layer(numbers_of(golden["inputs"][0])); });
}

void check(const Hashing& layer, const io::Json& golden) {
  const io::Json& input = golden["inputs"][0];
  expect_result(golden, [&] { return is_text(input) ? layer(strings_of(input)) : layer(numbers_of(input)); });
}

void check(const HashedCrossing& layer, const io::Json& golden) {
  std::vector<Tensor> features;
  for (const io::Json& input : golden["inputs"]) {
    features.push_back(is_text(input) ? Tensor(strings_of(input)) : numbers_of(input));
  }
  expect_result(golden, [&] { return layer(features); });
}

template <class Handle>
void check_class(const io::Json& golden) {
  const io::Json& config = golden["config"];
  const Handle layer = Handle::from_config(config);
  const io::Json written = layer.get_config();
  EXPECT_EQ(written.size(), config.size());
  for (const auto& [key, expected] : config.items()) {
    EXPECT_EQ(written[key], expected.is_object() ? expected["config"]["name"] : expected) << key;
  }
  check(layer, golden);
}

class GoldenTexts : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenTexts, EqualKeras) {
  const io::Json& golden = golden_texts().find(GetParam());
  const std::map<std::string, void (*)(const io::Json&)> checks = {
      {"StringLookup", check_class<StringLookup>},           {"IntegerLookup", check_class<IntegerLookup>},
      {"TextVectorization", check_class<TextVectorization>}, {"Hashing", check_class<Hashing>},
      {"HashedCrossing", check_class<HashedCrossing>},
  };
  checks.at(golden["class_name"].as_string())(golden);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTexts, ::testing::ValuesIn(golden_texts().names()),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace rhyton::layers
