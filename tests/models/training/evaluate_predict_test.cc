// The results of `evaluate` and `predict`, which do not depend on the batches.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/operations.h>
#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models::prediction_tests {
namespace {

using test::random_tensor;
using test::relative_distance;
using test::same_bits;

const Tensor x_data = random_tensor({11, 4}, 1);

std::vector<std::string> names_of(const callbacks::Logs& logs) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : logs) names.push_back(name);
  return names;
}

Sequential network() {
  Sequential model({layers::Input({.shape = {4}}), layers::Dense(5, {.activation = "tanh"}), layers::Dense(2)});
  model.set_weights({random_tensor({4, 5}, 2), random_tensor({5}, 3), random_tensor({5, 2}, 4), random_tensor({2}, 5)});
  return model;
}

TEST(Predict, AnyBatchSizeGivesTheSame) {
  const Sequential model = network();
  const Tensor whole = model.predict(x_data, {.batch_size = 11, .verbose = 0});
  ASSERT_EQ(whole.shape(), (Shape{11, 2}));
  EXPECT_LE(relative_distance(whole, model(x_data)), 1e-6);
  for (const std::int64_t batch_size : {1, 2, 3, 4, 10, 32}) {
    EXPECT_LE(relative_distance(model.predict(x_data, {.batch_size = batch_size, .verbose = 0}), whole), 1e-6)
        << batch_size;
  }
  EXPECT_TRUE(same_bits(model.predict_on_batch(x_data).front(), whole));
}

TEST(Predict, NeedsNoCompile) {
  const Sequential model = network();
  EXPECT_FALSE(model.is_compiled());
  EXPECT_EQ(model.predict(x_data, {.verbose = 0}).shape(), (Shape{11, 2}));
  const Sequential unbuilt({layers::Dense(3)});
  EXPECT_EQ(unbuilt.predict(x_data, {.verbose = 0}).shape(), (Shape{11, 3}));
}

TEST(Predict, SeesWeightsThatWereSetSince) {
  const Sequential model = linear_model(2, 0);
  EXPECT_EQ(model.predict(column({3}), {.verbose = 0}).item(), 6);
  model.set_weights({column({-1}), vector_of({0.5F})});
  EXPECT_EQ(model.predict(column({3}), {.verbose = 0}).item(), -2.5);
}

TEST(Predict, KeepsWhatItGaveBefore) {
  const Sequential model = linear_model(2, 0);
  const Tensor first = model.predict(column({1, 2}), {.verbose = 0});
  const Tensor second = model.predict(column({3, 4}), {.verbose = 0});
  EXPECT_EQ(first.to_vector(), (std::vector<double>{2, 4}));
  EXPECT_EQ(second.to_vector(), (std::vector<double>{6, 8}));
}

TEST(Predict, EndsAfterSomeSteps) {
  const Sequential model = linear_model(1, 0);
  const Tensor result = model.predict(column({1, 2, 3, 4, 5}), {.batch_size = 2, .verbose = 0, .steps = 2});
  EXPECT_EQ(result.to_vector(), (std::vector<double>{1, 2, 3, 4}));
}

TEST(Predict, GivesAllOutputs) {
  const layers::SymbolicTensor a = layers::Input({.shape = {4}, .name = "a"});
  const layers::SymbolicTensor b = layers::Input({.shape = {4}, .name = "b"});
  const layers::Dense shared(3);
  const Model model({.inputs = {a, b}, .outputs = {shared(a), layers::Dense(1)(shared(b))}});
  const Tensor other = random_tensor({11, 4}, 6);
  const std::vector<Tensor> outputs = model.predict_many({x_data, other}, {.batch_size = 4, .verbose = 0});
  ASSERT_EQ(outputs.size(), 2);
  const std::vector<Tensor> expected = model.call_many({x_data, other});
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LE(relative_distance(outputs[i], expected[i]), 1e-6) << i;
  const std::vector<Tensor> by_name =
      model.predict_many({{"b", other}, {"a", x_data}}, {.batch_size = 4, .verbose = 0});
  EXPECT_TRUE(same_bits(by_name, outputs));
  EXPECT_THROW(model.predict({x_data, other}, {.verbose = 0}), ValueError);
}

// As in Keras: a number for one batch, a list of numbers for several.
TEST(Predict, GivesOutputsWithoutSamplesBatchByBatch) {
  const layers::SymbolicTensor x = layers::Input({.shape = {4}});
  const Model model({.inputs = x, .outputs = {sum(x), x + 1, x[0]}});
  const Tensor ones = Tensor::full({5, 4}, 1.0);
  const std::vector<Tensor> whole = model.predict_many(ones, {.batch_size = 8, .verbose = 0});
  EXPECT_EQ(whole[0].shape(), Shape{});
  EXPECT_EQ(whole[0].item(), 20);
  EXPECT_EQ(whole[1].shape(), (Shape{5, 4}));
  EXPECT_EQ(whole[2].shape(), (Shape{4}));
  const std::vector<Tensor> parts = model.predict_many(ones, {.batch_size = 2, .verbose = 0});
  EXPECT_EQ(parts[0].to_vector(), (std::vector<double>{8, 8, 4}));
  EXPECT_EQ(parts[1].shape(), (Shape{5, 4}));
  EXPECT_EQ(parts[2].shape(), (Shape{12}));
}

TEST(Evaluate, AnyBatchSizeGivesTheSame) {
  const Sequential model = network();
  model.compile({.loss = "mse", .metrics = {"mae"}});
  const Tensor y = random_tensor({11, 2}, 7);
  const callbacks::Logs whole = model.evaluate(x_data, y, {.batch_size = 11, .verbose = 0});
  EXPECT_EQ(names_of(whole), (std::vector<std::string>{"loss", "mae"}));
  EXPECT_GT(whole.at("loss"), 0.01);
  for (const std::int64_t batch_size : {1, 2, 4, 10, 32}) {
    const callbacks::Logs logs = model.evaluate(x_data, y, {.batch_size = batch_size, .verbose = 0});
    EXPECT_NEAR(logs.at("loss"), whole.at("loss"), 1e-6) << batch_size;
    EXPECT_NEAR(logs.at("mae"), whole.at("mae"), 1e-6) << batch_size;
  }
  const callbacks::Logs at_once = model.test_on_batch(x_data, y);
  EXPECT_EQ(at_once.at("loss"), whole.at("loss"));
  EXPECT_EQ(at_once.at("mae"), whole.at("mae"));
}

TEST(Evaluate, ChangesNothing) {
  const Sequential model = network();
  model.compile({.optimizer = "adam", .loss = "mse"});
  model.train_on_batch(x_data, random_tensor({11, 2}, 7));
  const std::vector<Tensor> weights = copies_of_weights(model);
  const std::vector<Tensor> state = copies_of(model.optimizer().variables());
  const Tensor y = random_tensor({11, 2}, 8);
  const double loss = model.evaluate(x_data, y, {.verbose = 0}).at("loss");
  EXPECT_EQ(model.evaluate(x_data, y, {.verbose = 0}).at("loss"), loss);
  EXPECT_TRUE(same_bits(copies_of_weights(model), weights));
  EXPECT_TRUE(same_bits(copies_of(model.optimizer().variables()), state));
}

TEST(Evaluate, WeighsSamplesAndEndsAfterSomeSteps) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  const Tensor x = Tensor::zeros({4, 1});
  const Tensor y = column({1, 2, 3, 4});
  EXPECT_EQ(model.evaluate(x, y, {.verbose = 0, .sample_weight = vector_of({1, 0, 0, 2})}).at("loss"), 33.0 / 4);
  EXPECT_EQ(model.evaluate(x, y, {.batch_size = 1, .verbose = 0, .steps = 2}).at("loss"), 2.5);
  EXPECT_EQ(model.test_on_batch(x, y, {.sample_weight = vector_of({0, 0, 1, 0})}).at("loss"), 9.0 / 4);
}

TEST(Evaluate, EachCallBeginsAnew) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  EXPECT_EQ(model.train_on_batch(column({0}), column({3})).at("loss"), 9);
  EXPECT_EQ(model.train_on_batch(column({0}), column({1})).at("loss"), 1);
  EXPECT_EQ(model.test_on_batch(column({0}), column({2})).at("loss"), 4);
  EXPECT_EQ(model.evaluate(column({0}), column({5}), {.verbose = 0}).at("loss"), 25);
}

}  // namespace
}  // namespace rhyton::models::prediction_tests
