// What Keras says, functions and files; values are in text_golden_test.cc.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/preprocessing/text_vectorization.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;
using Values = std::vector<double>;

TEST(TextVectorization, MakesIntegersOfTexts) {
  const TextVectorization vectorize({.max_tokens = 5000, .output_sequence_length = 4});
  vectorize.adapt({"foo bar", "bar baz", "baz bada boom"});
  EXPECT_EQ(vectorize.get_vocabulary(), (Words{"", "[UNK]", "baz", "bar", "foo", "boom", "bada"}));
  const Tensor indices = vectorize(StringTensor({{"foo qux bar"}, {"qux baz"}}));
  EXPECT_EQ(indices.dtype(), DType::int64);
  EXPECT_EQ(indices.shape(), (Shape{2, 4}));
  EXPECT_EQ(indices.to_vector(), (Values{4, 1, 3, 0, 1, 2, 0, 0}));
}

TEST(TextVectorization, RefusesArgumentsInKerasWords) {
  const auto message = [](const TextVectorizationOptions& options) {
    return message_of<ValueError>([&] { TextVectorization{options}; });
  };
  EXPECT_EQ(message({.standardize = "x"}),
            "Unknown value for `standardize` argument of TextVectorization. Allowed values are: "
            "('lower_and_strip_punctuation', 'lower', 'strip_punctuation'). Received: standardize=x");
  EXPECT_EQ(message({.split = "x"}),
            "Unknown value for `split` argument of TextVectorization. Allowed values are: ('whitespace', 'character'). "
            "Received: split=x");
  EXPECT_EQ(message({.output_mode = "count", .output_sequence_length = 3}),
            "`output_sequence_length` must not be set if `output_mode` is not 'int'. Received "
            "output_sequence_length=3.");
}

TEST(TextVectorization, SplitsOneTextOfEachSample) {
  const TextVectorization vectorize({.vocabulary = {"a"}});
  EXPECT_EQ(message_of<ValueError>([&] {
              vectorize(StringTensor({{"a", "b"}}));
            }),
            "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last shape dimension "
            "must be 1. Received: inputs.shape=(1, 2) with rank=2");
  const TextVectorization counts({.output_mode = "count", .vocabulary = {"a"}});
  EXPECT_THROW(counts(StringTensor({{{"a"}, {"b"}}})), NotImplementedError);
}

TEST(TextVectorization, TakesFunctions) {
  const TextVectorization vectorize({
      .standardize = [](const std::string& text) { return text + "-end"; },
      .split =
          [](const std::string& text) {
            return Words{text.substr(0, 1), text.substr(1)};
          },
  });
  vectorize.adapt({"abc", "axy"});
  EXPECT_EQ(vectorize.get_vocabulary(), (Words{"", "[UNK]", "a", "xy-end", "bc-end"}));
  EXPECT_THAT(message_of<ValueError>([&] { vectorize.get_config(); }), HasSubstr("A C++ function"));
  EXPECT_THROW(
      TextVectorization::from_config(io::Json::parse(R"({"standardize": {"class_name": "function"}})", "test")),
      NotImplementedError);
}

TEST(TextVectorization, ConfigComesBack) {
  const TextVectorization layer(
      {.standardize = std::nullopt, .ngrams = {2, 3}, .vocabulary = {"a", "b c"}, .name = "t"});
  const std::string config = layer.get_config().dump();
  EXPECT_EQ(
      config,
      R"({"name": "t", "trainable": true, "dtype": "float32", "max_tokens": null, "standardize": null, "split": )"
      R"("whitespace", "ngrams": [2, 3], "output_mode": "int", "output_sequence_length": null, )"
      R"("pad_to_max_tokens": false, "sparse": false, "ragged": false, "vocabulary": ["a", "b c"], "idf_weights": )"
      R"(null, "encoding": "utf-8", "vocabulary_size": 4})");
  EXPECT_EQ(deserialize(serialize(layer)).get_config().dump(), config);
}

TEST(TextVectorization, AnAdaptedLayerComesBack) {
  const test::TemporaryFolder folder;
  const TextVectorization layer({.split = "character"});
  layer.adapt({"añb", "ña"});
  layer.save_assets(folder.path().string());
  const TextVectorization other = TextVectorization::from_config(layer.get_config());
  other.load_assets(folder.path().string());
  EXPECT_EQ(other.get_vocabulary(), layer.get_vocabulary());
  EXPECT_EQ(other(StringTensor({"bañx"})).to_vector(), layer(StringTensor({"bañx"})).to_vector());
}

TEST(TextVectorization, RefusesNumbers) {
  const TextVectorization layer({.vocabulary = {"a"}, .name = "text"});
  EXPECT_THAT(message_of<TypeError>([&] { layer(Tensor::zeros({1})); }),
              HasSubstr("Layer 'text' (of type TextVectorization) takes strings. Received: a tensor of numbers, "
                        "shape=(1,), dtype=float32"));
}

TEST(TextVectorization, OnSymbolicTensorsHasTheShapesOfKeras) {
  const auto shape_of = [](const TextVectorizationOptions& options, const SampleShape& sample) {
    const SymbolicTensor output = TextVectorization(options)(Input({.shape = sample, .dtype = "string"}));
    return output.shape().to_string() + " " + std::string(name_of(output.dtype()));
  };
  EXPECT_EQ(shape_of({.output_sequence_length = 4, .vocabulary = {"a"}}, {1}), "(None, 4) int64");
  EXPECT_EQ(shape_of({.output_sequence_length = 4, .vocabulary = {"a"}}, Shape{}), "(None, 4) int64");
  EXPECT_EQ(shape_of({.vocabulary = {"a"}}, {1}), "(None, None) int64");
  EXPECT_EQ(shape_of({.vocabulary = {"a"}}, Shape{}), "(None, None) int64");
  EXPECT_EQ(shape_of({.split = std::nullopt, .vocabulary = {"a"}}, {3}), "(None, 3) int64");
  EXPECT_EQ(shape_of({.output_mode = "multi_hot", .vocabulary = {"a", "b"}}, Shape{}), "(None, 3) int64");
  EXPECT_EQ(shape_of({.max_tokens = 9, .output_mode = "count", .pad_to_max_tokens = true, .vocabulary = {"a"}}, {1}),
            "(None, 9) int64");
  // Also where the size of the batch is known, that of the longest text is not.
  const Input fixed({.shape = {1}, .batch_size = 2, .dtype = "string"});
  EXPECT_EQ(TextVectorization({.vocabulary = {"a"}})(fixed).shape(), Shape({2, -1}));
}

}  // namespace
}  // namespace rhyton::layers
