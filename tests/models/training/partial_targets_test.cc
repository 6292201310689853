// Models of which not all outputs have a loss: what is accepted as y, as Keras 3.15 accepts it.

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/model.h>

namespace rhyton::models {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using training::Tensors;

const Tensor x = Tensor::from_data<float>({4, 2}, {1, 2, 3, -4, 5, 6, -7, 8});
const Tensor ya = Tensor::from_data<float>({4, 1}, {1, -2, 3, 4});
const Tensor yb = Tensor::from_data<float>({4, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0});

/// Outputs "a" of width 1 and "b" of width 3, as a list or as a dictionary.
Model two_outputs(bool is_dictionary = false) {
  const layers::SymbolicTensor input = layers::Input({.shape = {2}});
  const layers::SymbolicTensor a = layers::Dense(1, {.kernel_initializer = "ones", .name = "a"})(input);
  const layers::SymbolicTensor b = layers::Dense(3, {.kernel_initializer = "ones", .name = "b"})(input);
  if (is_dictionary) return Model({.inputs = input, .outputs = {{"a", a}, {"b", b}}});
  return Model({.inputs = input, .outputs = {a, b}});
}

double loss_of(const CompileOptions& options, const Tensors& y, const EvaluateOptions& evaluate = {}) {
  Model model = two_outputs();
  model.compile(options);
  EvaluateOptions silent = evaluate;
  silent.verbose = 0;
  return model.evaluate(x, y, silent).at("loss");
}

/// Predictions are the sums of the rows of x: 3, -1, 11, 1.
constexpr double mse_of_a = (4.0 + 1.0 + 64.0 + 9.0) / 4;
constexpr double mae_of_b = (2 + 3 + 3 + 1 + 2 + 1 + 11 + 11 + 10 + 0 + 1 + 1) / 12.0;

TEST(PartialTargets, OfAListOfLosses) {
  const CompileOptions first{.optimizer = "sgd", .loss = {"mse", nullptr}};
  for (const Tensors& y : {Tensors({ya, nullptr}), Tensors({ya, std::nullopt}), Tensors({ya, {}}), Tensors({ya, yb}),
                           Tensors(ya), Tensors({ya}), Tensors({{"a", ya}}), Tensors({{"a", ya}, {"b", nullptr}})}) {
    EXPECT_DOUBLE_EQ(loss_of(first, y), mse_of_a);
  }
  const CompileOptions second{.optimizer = "sgd", .loss = {{}, "mae"}};
  for (const Tensors& y : {Tensors({nullptr, yb}), Tensors(yb), Tensors({{"b", yb}})}) {
    EXPECT_NEAR(loss_of(second, y), mae_of_b, 1e-6);
  }
  EXPECT_DOUBLE_EQ(loss_of({.optimizer = "sgd", .loss = {"mse"}}, {ya, nullptr}), mse_of_a);
}

TEST(PartialTargets, OfAMapOfLosses) {
  const CompileOptions options{
      .optimizer = "sgd", .loss = {{"a", "mse"}, {"b", nullptr}}, .loss_weights = {{"a", 2.0}}};
  EXPECT_DOUBLE_EQ(loss_of(options, {{"a", ya}}), 2 * mse_of_a);
  EXPECT_DOUBLE_EQ(loss_of(options, {ya, nullptr}), 2 * mse_of_a);
  EXPECT_THAT(
      [] {
        loss_of({.optimizer = "sgd", .loss = {{"a", "mse"}}}, {ya, nullptr});
      },
      ThrowsMessage<ValueError>("Expected keys ['a', 'b'] in loss dict, but found loss.keys()=['a']"));
}

TEST(PartialTargets, OfADictionaryOfOutputs) {
  Model model = two_outputs(true);
  model.compile({.optimizer = "sgd", .loss = {{"a", "mse"}}, .metrics = {{"a", {"mae"}}}});
  const callbacks::Logs logs = model.evaluate(x, {{"a", ya}}, {.verbose = 0});
  EXPECT_DOUBLE_EQ(logs.at("loss"), mse_of_a);
  EXPECT_DOUBLE_EQ(logs.at("a_mae"), (2 + 1 + 8 + 3) / 4.0);
}

TEST(PartialTargets, TrainOnlyWhatLeadsToTheLoss) {
  Model model = two_outputs();
  model.compile({.optimizer = "sgd", .loss = {"mse", nullptr}});
  model.fit(x, {ya, nullptr}, {.batch_size = 3, .epochs = 2, .verbose = 0, .validation_split = 0.25});

  const layers::SymbolicTensor input = layers::Input({.shape = {2}});
  Model alone({.inputs = input, .outputs = layers::Dense(1, {.kernel_initializer = "ones"})(input)});
  alone.compile({.optimizer = "sgd", .loss = "mse"});
  alone.fit(x, ya, {.batch_size = 3, .epochs = 2, .verbose = 0, .validation_split = 0.25});

  const std::vector<Tensor> weights = model.get_weights();
  EXPECT_EQ(weights[0].to_vector(), alone.get_weights()[0].to_vector());
  EXPECT_EQ(weights[1].to_vector(), alone.get_weights()[1].to_vector());
  EXPECT_EQ(weights[2].to_vector(), std::vector<double>(6, 1.0));
}

TEST(PartialTargets, OfMetricsBesideTheLoss) {
  Model model = two_outputs();
  model.compile({.optimizer = "sgd", .loss = {"mse", nullptr}, .metrics = {{"b", {"mae"}}}});
  EXPECT_NEAR(model.evaluate(x, {ya, yb}, {.verbose = 0}).at("b_mae"), mae_of_b, 1e-6);
  for (const Tensors& y : {Tensors({ya, nullptr}), Tensors(ya)}) {
    EXPECT_THAT([&] { model.evaluate(x, y, {.verbose = 0}); },
                ThrowsMessage<ValueError>(
                    HasSubstr("None values not supported. `y` has no target for the output 'b', which has a loss or")));
  }
  model.compile({.optimizer = "sgd", .loss = {nullptr, "mse"}, .metrics = {nullptr, "mae"}});
  EXPECT_NEAR(model.evaluate(x, yb, {.verbose = 0}).at("b_mae"), mae_of_b, 1e-6);
}

TEST(PartialTargets, WithWeights) {
  const CompileOptions options{.optimizer = "sgd", .loss = {"mse", nullptr}};
  const Tensor weights = Tensor::from_data<float>({4}, {1, 0, 0, 2});
  constexpr double weighted = (4.0 + 2 * 9.0) / 4;
  EXPECT_DOUBLE_EQ(loss_of(options, {ya, nullptr}, {.sample_weight = weights}), weighted);
  EXPECT_DOUBLE_EQ(loss_of(options, {ya, nullptr}, {.sample_weight = {weights, nullptr}}), weighted);
  EXPECT_NEAR(loss_of({.optimizer = "sgd", .loss = {"mse", "mae"}}, {ya, yb}, {.sample_weight = {weights, nullptr}}),
              weighted + mae_of_b, 1e-6);
  // Weights of classes are for all outputs.
  Model model = two_outputs();
  model.compile({.optimizer = "sgd", .loss = {nullptr, "mse"}});
  const callbacks::Logs plain = model.test_on_batch(x, yb);
  EXPECT_NEAR(model.train_on_batch(x, yb, {.class_weight = {{0, 3.0}, {1, 3.0}, {2, 3.0}}}).at("loss"),
              3 * plain.at("loss"), 1e-4);
}

TEST(PartialTargets, OfADataset) {
  Model model = two_outputs();
  model.compile({.optimizer = "sgd", .loss = {"mse", nullptr}});
  EXPECT_DOUBLE_EQ(model.evaluate(datasets::from_tensor_slices(x, ya).batch(4), {.verbose = 0}).at("loss"), mse_of_a);
}

TEST(PartialTargets, ThatDoNotFit) {
  const CompileOptions first{.optimizer = "sgd", .loss = {"mse", nullptr}};
  EXPECT_THAT(
      [&] {
        loss_of(first, {nullptr, yb});
      },
      ThrowsMessage<ValueError>(HasSubstr("None values not supported.")));
  EXPECT_THAT(
      [&] {
        loss_of(first, {nullptr, nullptr});
      },
      ThrowsMessage<ValueError>(HasSubstr("None values not supported.")));
  // Keras compares the only array with the output "a", whatever its name.
  EXPECT_THAT(
      [&] {
        loss_of(first, {{"b", yb}});
      },
      ThrowsMessage<ValueError>("y_true and y_pred have different structures.\ny_true: {'b': '*'}\n"
                                "y_pred: {'a': '*', 'b': '*'}\n"));
  EXPECT_THAT([&] { loss_of({.optimizer = "sgd", .loss = "mse"}, ya); },
              ThrowsMessage<ValueError>("y_true and y_pred have different structures.\ny_true: *\n"
                                        "y_pred: ['*', '*']\n"));
}

}  // namespace
}  // namespace rhyton::models
