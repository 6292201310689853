// Models whose inputs are strings: their layers that run on the host, before the compiled step.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/operations/operations.h>
#include <rhyton/layers/pooling/global_average_pooling1d.h>
#include <rhyton/layers/preprocessing/hashed_crossing.h>
#include <rhyton/layers/preprocessing/hashing.h>
#include <rhyton/layers/preprocessing/integer_lookup.h>
#include <rhyton/layers/preprocessing/string_lookup.h>
#include <rhyton/layers/preprocessing/text_vectorization.h>
#include <rhyton/models/cloning.h>
#include <rhyton/models/custom_model.h>
#include <rhyton/models/model.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::models {
namespace {

using layers::Dense;
using layers::Embedding;
using layers::GlobalAveragePooling1D;
using layers::Input;
using layers::StringLookup;
using layers::SymbolicTensor;
using layers::TextVectorization;
using test::message_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TextVectorization vectorization(std::optional<std::int64_t> length = 4) {
  return TextVectorization({.output_sequence_length = length, .vocabulary = {"good", "bad", "film", "not"}});
}

const StringTensor texts({"good film", "bad film", "not bad", "not good", "a film, not bad!"});
const Tensor y = Tensor::from_data<float>({5, 1}, {1, 0, 1, 0, 1});

/// From raw strings, and what follows the vectorization, of the same weights.
struct TextModel {
  Sequential model;
  Sequential tail;
};

TextModel text_model(std::optional<std::int64_t> length = 4) {
  set_random_seed(3);
  const Embedding embedding(6, 3);
  const GlobalAveragePooling1D pooling;
  const Dense dense(1, {.activation = "sigmoid"});
  const std::int64_t steps = length.value_or(-1);
  return {
      .model = Sequential({Input({.shape = {1}, .dtype = "string"}), vectorization(length), embedding, pooling, dense}),
      .tail = Sequential({Input({.shape = {steps}, .dtype = "int64"}), embedding, pooling, dense})};
}

TEST(StringInputs, AModelPredictsFromStringsWhatItPredictsFromTheirIntegers) {
  for (const std::optional<std::int64_t> length : {std::optional<std::int64_t>(4), std::optional<std::int64_t>()}) {
    const TextModel text = text_model(length);
    const std::vector<double> expected = text.tail(vectorization(length)(texts)).to_vector();
    EXPECT_EQ(text.model(texts).to_vector(), expected);
    EXPECT_EQ(text.model(texts.reshape({5, 1})).to_vector(), expected);
    EXPECT_EQ(text.model.predict(texts, {.verbose = 0}).to_vector(), expected);
    EXPECT_EQ(text.model.predict(texts.reshape({5, 1}), {.verbose = 0}).to_vector(), expected);
    EXPECT_EQ(text.model.predict_on_batch(Tensor(texts)).front().to_vector(), expected);
  }
}

TEST(StringInputs, EachBatchHasTheLengthOfItsLongestText) {
  const TextModel text = text_model(std::nullopt);
  std::vector<double> expected;
  for (const auto& [first, last] : {std::pair(0, 2), std::pair(2, 4), std::pair(4, 5)}) {
    const std::vector<double> batch = text.tail(vectorization(std::nullopt)(texts.slice(first, last))).to_vector();
    expected.insert(expected.end(), batch.begin(), batch.end());
  }
  EXPECT_EQ(text.model.predict(texts, {.batch_size = 2, .verbose = 0}).to_vector(), expected);
}

TEST(StringInputs, TrainingFromStringsIsTrainingFromTheirIntegers) {
  const auto trained = [](bool from_strings, bool eagerly) {
    const TextModel text = text_model();
    const Sequential& model = from_strings ? text.model : text.tail;
    model.compile(
        {.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}, .run_eagerly = eagerly});
    const Tensor x = from_strings ? Tensor(texts) : vectorization()(texts);
    const History history = model.fit(x, y, {.batch_size = 2, .epochs = 3, .verbose = 0, .validation_split = 0.4});
    std::vector<double> results = history.history.at("loss");
    const std::vector<double>& validation = history.history.at("val_loss");
    results.insert(results.end(), validation.begin(), validation.end());
    results.push_back(model.evaluate(x, y, {.verbose = 0}).at("loss"));
    results.push_back(model.train_on_batch(x, y).at("loss"));
    results.push_back(model.test_on_batch(x, y).at("loss"));
    return results;
  };
  EXPECT_EQ(trained(true, false), trained(false, false));
  EXPECT_EQ(trained(true, true), trained(false, true));
}

TEST(StringInputs, DataSetsOfStringsTrainModelsOfStrings) {
  const TextModel direct = text_model();
  direct.model.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
  const History expected = direct.model.fit(texts, y, {.batch_size = 2, .epochs = 2, .verbose = 0, .shuffle = false});

  const TextModel text = text_model();
  text.model.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
  const datasets::Pipeline dataset = datasets::from_tensor_slices(texts, y).batch(2);
  EXPECT_EQ(dataset.element_spec().x.front(), (TensorSpec{{-1}, string_dtype}));
  const History history = text.model.fit(dataset, {.epochs = 2, .verbose = 0, .validation_data = dataset});
  EXPECT_EQ(history.history.at("loss"), expected.history.at("loss"));
  EXPECT_EQ(text.model.predict(dataset, {.verbose = 0}).to_vector(),
            text.model.predict(texts, {.batch_size = 2, .verbose = 0}).to_vector());

  // Or the strings become integers on the way.
  const TextModel mapped = text_model();
  mapped.tail.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
  const TextVectorization vectorize = vectorization();
  const History of_mapped =
      mapped.tail.fit(dataset.map([&](const Tensor& x, const Tensor& label) { return std::pair(vectorize(x), label); }),
                      {.epochs = 2, .verbose = 0});
  EXPECT_EQ(of_mapped.history.at("loss"), expected.history.at("loss"));
}

TEST(StringInputs, ADataSetWithoutItsSizeEndsWhereItEnds) {
  const TextModel text = text_model();
  const datasets::Pipeline dataset =
      datasets::from_tensor_slices(texts)
          .filter([](const Tensor& x) { return StringTensor::of(x).item() != "not bad"; })
          .batch(3);
  EXPECT_EQ(text.model.predict(dataset, {.verbose = 0}).shape(), Shape({4, 1}));
  EXPECT_EQ(text.model.predict(dataset, {.verbose = 0, .steps = 1}).shape(), Shape({3, 1}));
}

TEST(StringInputs, FunctionalModelsTakeStringsAndNumbersByName) {
  const Input colour({.shape = {1}, .dtype = "string", .name = "colour"});
  const Input size({.shape = {2}, .name = "size"});
  const Input number({.shape = {1}, .dtype = "int64", .name = "number"});
  const StringLookup lookup({.vocabulary = {"red", "blue"}, .output_mode = "one_hot"});
  const layers::Hashing hashing(7, {.output_mode = "one_hot"});
  const layers::HashedCrossing crossing(5, {.output_mode = "one_hot"});
  const SymbolicTensor joined = layers::Concatenate()({lookup(colour), SymbolicTensor(size), hashing(number),
                                                       crossing({SymbolicTensor(colour), SymbolicTensor(number)})});
  const Dense dense(2);
  const Model model({.inputs = {{"colour", colour}, {"size", size}, {"number", number}}, .outputs = dense(joined)});
  const StringTensor colours({{"red"}, {"green"}, {"blue"}});
  const Tensor sizes = Tensor::from_data<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor numbers = Tensor::from_data<std::int64_t>({3, 1}, {4, -1, 4});
  const std::map<std::string, Tensor> inputs = {{"size", sizes}, {"colour", colours}, {"number", numbers}};
  const Tensor whole = layers::Concatenate()(
      std::vector<Tensor>{cast(lookup(colours), float32), sizes, hashing(numbers), crossing({colours, numbers})});
  const std::vector<double> expected = dense(whole).to_vector();
  EXPECT_EQ(model(inputs).to_vector(), expected);
  EXPECT_EQ(model.predict(inputs, {.batch_size = 2, .verbose = 0}).to_vector(), expected);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(model.evaluate(inputs, whole[{Ellipsis(), Slice(0, 2)}], {.verbose = 0}).size(), 1U);
}

TEST(StringInputs, NestedAndSharedModelsOfStringsAreSplitToo) {
  const TextModel text = text_model();
  const Input title({.shape = {1}, .dtype = "string", .name = "title"});
  const Input body({.shape = Shape{}, .dtype = "string", .name = "body"});
  // Called twice, on one Input whose rank is another one.
  const Dense dense(1);
  const Model outer({.inputs = std::vector<SymbolicTensor>{title, body},
                     .outputs = dense(layers::Concatenate()({text.model(title), text.model(body)}))});
  const StringTensor others({"bad", "good good", "film", "not", "x"});
  const Tensor joined = layers::Concatenate()(std::vector<Tensor>{text.model(texts), text.model(others)});
  const std::vector<double> expected = dense(joined).to_vector();
  EXPECT_EQ(outer({texts, others}).to_vector(), expected);
  EXPECT_EQ(outer.predict({texts, others}, {.batch_size = 2, .verbose = 0}).to_vector(), expected);
  const Sequential wrapped({outer.get_layer("title"), text.model, Dense(2)});
  EXPECT_EQ(wrapped.predict(texts, {.verbose = 0}).to_vector(), wrapped(texts).to_vector());
}

TEST(StringInputs, ASequentialWithoutAnInputTakesStringsIfItsFirstLayerDoes) {
  const Sequential model({vectorization(), Embedding(6, 2)});
  EXPECT_EQ(model.predict(texts, {.verbose = 0}).shape(), Shape({5, 4, 2}));
  EXPECT_EQ(model.inputs().front().dtype(), string_dtype);
}

TEST(StringInputs, ACloneAndAConfigurationKeepTheDtype) {
  const TextModel text = text_model();
  const Model clone = clone_model(text.model);
  EXPECT_EQ(clone.inputs().front().dtype(), string_dtype);
  clone.set_weights(text.model.get_weights());
  EXPECT_EQ(clone.predict(texts, {.verbose = 0}).to_vector(), text.model.predict(texts, {.verbose = 0}).to_vector());
  EXPECT_EQ(Input({.shape = {1}, .dtype = "string", .name = "a"}).get_config()["dtype"].as_string(), "string");
  std::string table;
  text.model.summary({.print_fn = [&](const std::string& line) { table += line; }});
  EXPECT_THAT(table, AllOf(HasSubstr("TextVectorization"), HasSubstr("(None, 4)")));
}

TEST(StringInputs, GradientsPassThroughWhatFollowsTheLayersOfStrings) {
  const TextModel text = text_model();
  GradientTape tape;
  const Tensor output = text.model(texts);
  const std::vector<Tensor> gradients = tape.gradient(output, text.model.trainable_variables());
  ASSERT_EQ(gradients.size(), 3U);
  EXPECT_FALSE(gradients.front().is_empty());
}

TEST(StringInputs, StringsThatGoElsewhereAreRefused) {
  const TextModel text = text_model();
  EXPECT_THAT(message_of<TypeError>([&] {
                text.model.predict(Tensor::zeros({2, 1}), {.verbose = 0});
              }),
              AllOf(HasSubstr("takes strings, dtype=string. Received: a tensor of numbers")));
  EXPECT_THAT(message_of<TypeError>([&] { text.model(Tensor::zeros({2, 1})); }), HasSubstr("takes strings"));
  EXPECT_THAT(message_of<TypeError>([&] { text.tail.predict(texts, {.verbose = 0}); }),
              HasSubstr("takes numbers, dtype=int64. Received: a tensor of strings"));
  EXPECT_THAT(message_of<TypeError>([&] { text.tail(texts); }), HasSubstr("takes numbers"));
  const Input input({.shape = {1}, .dtype = "string"});
  EXPECT_THAT(message_of<TypeError>([&] { Dense(2)(input); }), HasSubstr("takes numbers"));
  EXPECT_THAT(message_of<TypeError>([&] { Dense(2)(texts.reshape({5, 1})); }), HasSubstr("takes numbers"));
  EXPECT_THAT(message_of<TypeError>([&] { Embedding(2, 2)(input); }), HasSubstr("takes numbers"));
  EXPECT_THAT(message_of<TypeError>([&] { vectorization()(Input({.shape = {1}})); }), HasSubstr("takes strings"));
  EXPECT_THAT(message_of<TypeError>([&] { SymbolicTensor(input) + SymbolicTensor(input); }), HasSubstr("strings"));
  EXPECT_THAT(message_of<TypeError>([&] { Tensor(texts).to_vector(); }), HasSubstr("takes numbers, not strings"));
  EXPECT_THAT(message_of<TypeError>([&] { Tensor(texts).cast(float32); }), HasSubstr("strings"));
}

TEST(StringInputs, LayersWithoutWeightsMayComputeWhatALayerOnTheHostTakes) {
  const Input code({.shape = {1}, .dtype = "int64"});
  const Input colour({.shape = {1}, .dtype = "string"});
  const SymbolicTensor index = layers::IntegerLookup({.vocabulary = {7, 9}})(code);
  const SymbolicTensor crossed =
      layers::HashedCrossing(5)({ops::mod(index + 1, 2), StringLookup({.vocabulary = {"red"}})(colour)});
  const Model model({.inputs = {code, colour}, .outputs = {index, crossed}});
  const Tensor codes = Tensor::from_data<std::int64_t>({4, 1}, {9, 1, 7, 9});
  const StringTensor colours({{"red"}, {"red"}, {"blue"}, {"blue"}});
  const std::vector<Tensor> eager = model.call_many({codes, colours});
  const std::vector<Tensor> predicted = model.predict_many({codes, colours}, {.batch_size = 3, .verbose = 0});
  EXPECT_THAT(predicted[0].to_vector(), ElementsAre(2, 0, 1, 2));
  EXPECT_EQ(predicted[0].to_vector(), eager[0].to_vector());
  EXPECT_EQ(predicted[1].to_vector(), eager[1].to_vector());
}

TEST(StringInputs, WhatNoCompiledStepCanComputeIsRefusedByName) {
  const Input numbers({.shape = {2}});
  const Model late(
      {.inputs = numbers, .outputs = layers::Hashing(3, {.name = "late"})(Dense(1)(numbers)), .name = "m"});
  EXPECT_THAT(message_of<NotImplementedError>([&] {
                late.predict(Tensor::zeros({2, 2}), {.verbose = 0});
              }),
              HasSubstr("Model 'm' cannot be compiled: its layer 'late' computes on the host"));
  EXPECT_EQ(late(Tensor::zeros({2, 2})).shape(), Shape({2, 1}));
  const Input indices({.shape = {2}, .dtype = "int64"});
  const StringLookup back({.vocabulary = {"a", "b"}, .invert = true, .name = "words"});
  const Model to_strings({.inputs = indices, .outputs = back(indices)});
  EXPECT_THAT(message_of<NotImplementedError>([&] {
                to_strings.predict(Tensor::zeros({1, 2}, int64), {.verbose = 0});
              }),
              HasSubstr("its output 'words' is strings"));
  EXPECT_EQ(StringTensor::of(to_strings(Tensor::full({1, 2}, 1, int64))), StringTensor({{"a", "a"}}));
}

class CustomText : public ModelImpl {
 public:
  std::string class_name() const override { return "CustomText"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {dense_(pooling_(embedding_(vectorize_(inputs[0]))))};
  }

 private:
  TextVectorization vectorize_ = track("vectorize", vectorization());
  Embedding embedding_ = track("embedding", Embedding(6, 3));
  GlobalAveragePooling1D pooling_ = track("pooling", GlobalAveragePooling1D());
  Dense dense_ = track("dense", Dense(1));
};

TEST(StringInputs, ACustomModelTakesStringsEagerly) {
  const Model model = make_model<CustomText>();
  EXPECT_EQ(model(texts).shape(), Shape({5, 1}));
  model.compile({.optimizer = "adam", .loss = "mse"});
  EXPECT_THAT(message_of<NotImplementedError>([&] { model.fit(texts, y, {.verbose = 0}); }),
              HasSubstr("run_eagerly=True"));
  model.compile({.optimizer = "adam", .loss = "mse", .run_eagerly = true});
  EXPECT_EQ(model.fit(texts, y, {.epochs = 2, .verbose = 0}).history.at("loss").size(), 2U);
}

TEST(StringInputs, AnErrorOfALayerReachesTheCaller) {
  const StringLookup strict({.num_oov_indices = 0, .vocabulary = {"a"}});
  const Sequential model({Input({.shape = {1}, .dtype = "string"}), strict, Embedding(2, 2)});
  for (const std::int64_t batch_size : {5, 2}) {
    EXPECT_THAT(
        message_of<InvalidArgumentError>([&] { model.predict(texts, {.batch_size = batch_size, .verbose = 0}); }),
        HasSubstr("found OOV values"));
  }
}

TEST(StringInputs, AVocabularyThatChangesIsUsedFromTheNextBatchOn) {
  const TextVectorization vectorize = TextVectorization({.output_sequence_length = 1});
  vectorize.set_vocabulary({"good", "bad"});
  const Sequential model({Input({.shape = {1}, .dtype = "string"}), vectorize});
  EXPECT_THAT(model.predict(StringTensor({"good", "bad"}), {.verbose = 0}).to_vector(), ElementsAre(2, 3));
  vectorize.set_vocabulary({"bad", "good"});
  EXPECT_THAT(model.predict(StringTensor({"good", "bad"}), {.verbose = 0}).to_vector(), ElementsAre(3, 2));
}

}  // namespace
}  // namespace rhyton::models
