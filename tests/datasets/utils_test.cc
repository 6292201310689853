// to_categorical and pad_sequences, compared with Keras.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/datasets/categorical.h>
#include <rhyton/datasets/keras_names.h>
#include <rhyton/datasets/sequences.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::datasets {
namespace {

using io::Json;
using test::message_of;

Shape shape_in(const Json& array) {
  std::vector<std::int64_t> lengths;
  for (const Json& length : array["shape"]) lengths.push_back(length.as_int());
  return Shape(lengths);
}

std::vector<double> values_in(const Json& array) {
  std::vector<double> values;
  for (const Json& value : array["values"]) values.push_back(value.as_double());
  return values;
}

/// The array in float64, in which all numbers are exact.
Tensor tensor_in(const Json& array) { return Tensor::from_data(shape_in(array), values_in(array)); }

/// Compares what `call` gives, or the error that it throws, with Keras's.
template <class Call>
void expect_as_keras(const Json& golden, const std::string& dtype, const Call& call) {
  SCOPED_TRACE(golden["name"].as_string());
  if (const Json* const error = golden.find("error")) {
    EXPECT_EQ(message_of<Error>(call), error->as_string());
    return;
  }
  const Tensor output = call();
  EXPECT_EQ(output.shape(), shape_in(golden["output"]));
  EXPECT_EQ(output.to_vector(), values_in(golden["output"]));
  EXPECT_EQ(name_of(output.dtype()), dtype);
}

const test::GoldenArea& golden_utils() {
  static const test::GoldenArea area("utils");
  return area;
}

TEST(Utils, HasTheFunctionsUnderKerasNames) {
  EXPECT_EQ(utils::to_categorical({0, 2}, 3).to_vector(), (std::vector<double>{1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(utils::pad_sequences({{1}, {2, 3}}).to_vector(), (std::vector<double>{0, 1, 2, 3}));
}

TEST(ToCategorical, IsKerasOneHot) {
  for (const Json& golden : golden_utils().cases()) {
    if (!golden["name"].as_string().starts_with("to_categorical/")) continue;
    const Json& given = golden["num_classes"];
    const std::optional<std::int64_t> num_classes = given.is_null() ? std::nullopt : std::optional(given.as_int());
    // Keras's is float64.
    expect_as_keras(golden, "float32", [&] { return to_categorical(tensor_in(golden["x"]), num_classes); });
  }
}

TEST(ToCategorical, TakesAList) {
  EXPECT_EQ(to_categorical({2, 0}).to_vector(), (std::vector<double>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(to_categorical({0, 1}, 4).shape(), (Shape{2, 4}));
}

PadSequencesOptions options_in(const Json& given) {
  PadSequencesOptions options;
  if (const Json* const maxlen = given.find("maxlen")) options.maxlen = maxlen->as_int();
  options.dtype = given.get_or("dtype", options.dtype);
  options.padding = given.get_or("padding", options.padding);
  options.truncating = given.get_or("truncating", options.truncating);
  if (const Json* const value = given.find("value")) options.value = value->as_double();
  return options;
}

TEST(PadSequences, IsKeras) {
  for (const Json& golden : golden_utils().cases()) {
    if (!golden["name"].as_string().starts_with("pad_sequences/")) continue;
    const PadSequencesOptions options = options_in(golden["options"]);
    std::vector<Tensor> sequences;
    for (const Json& sequence : golden["sequences"]) sequences.push_back(tensor_in(sequence));
    expect_as_keras(golden, options.dtype, [&] { return pad_sequences(sequences, options); });
  }
}

TEST(PadSequences, TakesLists) {
  EXPECT_EQ(pad_sequences({{1}, {2, 3}}).to_vector(), (std::vector<double>{0, 1, 2, 3}));
  const std::vector<std::vector<float>> fractions = {{0.5F}, {1.5F, 2.5F}};
  EXPECT_EQ(pad_sequences(fractions, {.dtype = "float32", .padding = "post"}).to_vector(),
            (std::vector<double>{0.5, 0, 1.5, 2.5}));
}

}  // namespace
}  // namespace rhyton::datasets
