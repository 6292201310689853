// fit, evaluate and predict on pipelines of data sets.

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/context.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

using datasets::from_tensor_slices;
using test::message_of;
using test::same_bits;
using ::testing::HasSubstr;

class PipelineTraining : public ::testing::Test {
 protected:
  void SetUp() override { clear_session(); }

  /// A compiled model, the same at each call.
  static Sequential make_model() {
    set_random_seed(5);
    Sequential model({layers::Input({.shape = {4}}), layers::Dense(3, {.activation = "tanh"}), layers::Dense(1)});
    model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
    return model;
  }

  Tensor x_ = test::random_tensor({20, 4}, 1);
  Tensor y_ = test::random_tensor({20, 1}, 2);
  Tensor weights_ = abs(test::random_tensor({20}, 3));
};

TEST_F(PipelineTraining, EqualsTrainingOnArrays) {
  const Sequential on_arrays = make_model();
  const History expected =
      on_arrays.fit(x_, y_, {.batch_size = 8, .epochs = 3, .verbose = 0, .shuffle = false, .sample_weight = weights_});
  const Sequential on_pipeline = make_model();
  const datasets::Pipeline data = from_tensor_slices(x_, y_, weights_).batch(8);
  const History history = on_pipeline.fit(data, {.epochs = 3, .verbose = 0});
  EXPECT_EQ(history["loss"], expected["loss"]);
  for (std::size_t i = 0; i < on_arrays.weights().size(); ++i) {
    EXPECT_TRUE(same_bits(on_arrays.get_weights()[i], on_pipeline.get_weights()[i]));
  }
  EXPECT_EQ(on_pipeline.evaluate(data, {.verbose = 0}).at("mae"),
            on_arrays.evaluate(x_, y_, {.batch_size = 8, .verbose = 0, .sample_weight = weights_}).at("mae"));
  EXPECT_TRUE(same_bits(on_pipeline.predict(from_tensor_slices(x_).batch(8), {.verbose = 0}),
                        on_arrays.predict(x_, {.batch_size = 8, .verbose = 0})));
}

TEST_F(PipelineTraining, TakesMappedBatches) {
  const Sequential on_arrays = make_model();
  on_arrays.fit(x_ * 2, y_, {.batch_size = 5, .verbose = 0, .shuffle = false});
  const Sequential on_pipeline = make_model();
  on_pipeline.fit(
      from_tensor_slices(x_, y_).batch(5).map([](const Tensor& x, const Tensor& y) { return std::pair(x * 2, y); }),
      {.verbose = 0});
  EXPECT_TRUE(same_bits(on_arrays.get_weights()[0], on_pipeline.get_weights()[0]));
}

TEST_F(PipelineTraining, OfEndlessDataNeedsANumberOfSteps) {
  const Sequential model = make_model();
  const datasets::Pipeline endless = from_tensor_slices(x_, y_).repeat().batch(8);
  EXPECT_EQ(
      message_of<ValueError>([&] { model.fit(endless, {.verbose = 0}); }),
      "When passing an infinitely repeating dataset, please specify a `steps_per_epoch` value so that epoch level "
      "callbacks continue to work.");
  EXPECT_THROW(model.evaluate(endless, {.verbose = 0}), ValueError);
  EXPECT_THROW(model.predict(endless, {.verbose = 0}), ValueError);
  EXPECT_THROW(model.fit(x_, y_, {.verbose = 0, .validation_data = endless}), ValueError);
  EXPECT_EQ(model.fit(endless, {.epochs = 2, .verbose = 0, .steps_per_epoch = 3}).epoch.size(), 2U);
  EXPECT_TRUE(model.evaluate(endless, {.verbose = 0, .steps = 4}).contains("loss"));
  EXPECT_EQ(model.predict(endless, {.verbose = 0, .steps = 3}).shape(), (Shape{24, 1}));
}

TEST_F(PipelineTraining, RefusesElementsThatAreNoBatches) {
  const Sequential model = make_model();
  EXPECT_THAT(message_of<ValueError>([&] { model.fit(from_tensor_slices(x_, y_), {.verbose = 0}); }),
              HasSubstr("become batches by `.batch(batch_size)`"));
  const Tensor labels = Tensor::zeros({20}, DType::int32);
  EXPECT_THAT(message_of<ValueError>([&] {
                model.fit(from_tensor_slices(Tensor::zeros({20, 3, 4}), labels), {.verbose = 0});
              }),
              HasSubstr("become batches by `.batch(batch_size)`"));
}

/// Two inputs of different lengths and two outputs, whose names are not in the order of the alphabet.
class DictionaryTraining : public PipelineTraining {
 protected:
  static Model make_named_model() {
    set_random_seed(6);
    const layers::SymbolicTensor title = layers::Input({.shape = {3}, .name = "title"});
    const layers::SymbolicTensor body = layers::Input({.shape = {4}, .name = "body"});
    const layers::SymbolicTensor shared = layers::Dense(5)(title) + layers::Dense(5)(body);
    Model model({.inputs = {title, body},
                 .outputs = {layers::Dense(2, {.name = "score"})(shared), layers::Dense(1, {.name = "kind"})(shared)}});
    model.compile({.optimizer = "adam", .loss = {{"score", "mse"}, {"kind", "mae"}}});
    return model;
  }

  Tensor title_ = test::random_tensor({20, 3}, 4);
  Tensor body_ = test::random_tensor({20, 4}, 5);
  Tensor score_ = test::random_tensor({20, 2}, 6);
  Tensor kind_ = test::random_tensor({20, 1}, 7);
};

TEST_F(DictionaryTraining, TakesTensorsByTheNamesOfInputsAndOutputs) {
  const Model on_arrays = make_named_model();
  const History expected = on_arrays.fit({{"title", title_}, {"body", body_}}, {{"score", score_}, {"kind", kind_}},
                                         {.batch_size = 8, .epochs = 2, .verbose = 0, .shuffle = false});
  const auto data_of = [&](const datasets::TensorNames& x_names, const std::vector<Tensor>& x) {
    return from_tensor_slices(
               datasets::Batch{.x = x, .y = {kind_, score_}, .x_names = x_names, .y_names = {"kind", "score"}})
        .batch(8);
  };
  for (const datasets::Pipeline& data :
       {data_of({"body", "title"}, {body_, title_}), data_of({"title", "body"}, {title_, body_})}) {
    const Model on_pipeline = make_named_model();
    const History history = on_pipeline.fit(data, {.epochs = 2, .verbose = 0});
    EXPECT_EQ(history["loss"], expected["loss"]);
    EXPECT_EQ(on_pipeline.evaluate(data, {.verbose = 0}).at("score_loss"),
              on_arrays
                  .evaluate({{"title", title_}, {"body", body_}}, {{"score", score_}, {"kind", kind_}},
                            {.batch_size = 8, .verbose = 0})
                  .at("score_loss"));
    const std::vector<Tensor> predictions = on_pipeline.predict_many(data, {.verbose = 0});
    EXPECT_TRUE(same_bits(predictions[0], on_arrays.predict_many({title_, body_}, {.batch_size = 8, .verbose = 0})[0]));
  }
}

TEST_F(DictionaryTraining, IgnoresTensorsThatTheModelDoesNotTake) {
  const Model model = make_named_model();
  const datasets::Pipeline data = from_tensor_slices({{"body", body_}, {"author", kind_}, {"title", title_}}).batch(8);
  EXPECT_TRUE(same_bits(model.predict_many(data, {.verbose = 0})[1],
                        model.predict_many({title_, body_}, {.batch_size = 8, .verbose = 0})[1]));
}

TEST_F(DictionaryTraining, RefusesOtherNames) {
  const Model model = make_named_model();
  EXPECT_EQ(message_of<ValueError>([&] {
              model.predict_many(from_tensor_slices({{"title", title_}, {"text", body_}}).batch(8), {.verbose = 0});
            }),
            message_of<ValueError>([&] {
              model.predict_many({{"title", title_}, {"text", body_}}, {.verbose = 0});
            }));
}

}  // namespace
}  // namespace rhyton::models
