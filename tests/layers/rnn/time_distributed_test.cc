#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/normalization/layer_normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/rnn/lstm.h>
#include <rhyton/layers/rnn/rnn.h>
#include <rhyton/layers/rnn/time_distributed.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::layers {
namespace {

using models::Model;
using models::Sequential;

/// The layer on each step by itself.
Tensor step_by_step(const Layer& layer, const Tensor& x) {
  std::vector<Tensor> outputs;
  for (const Tensor& step : unstack(x, 1)) outputs.push_back(layer(step));
  return stack(outputs, 1);
}

TEST(TimeDistributed, CallsTheLayerOnEachStep) {
  const Tensor sequences = test::random_tensor({3, 4, 5}, 1);
  const Tensor videos = test::random_tensor({2, 3, 6, 5, 2}, 2);
  const SymbolicTensor step = Input({.shape = {5}});
  const std::vector<std::pair<Layer, Tensor>> cases = {
      {Dense(2, {.activation = "tanh"}), sequences},
      {LayerNormalization(), sequences},
      {Conv2D(3, 2), videos},
      {Sequential({Input({.shape = {5}}), Dense(3), BatchNormalization(), Dense(2)}), sequences},
      {Sequential({Dense(3), Dense(2)}), sequences},
      {Model({.inputs = step, .outputs = Dense(2)(Dense(3)(step))}), sequences},
  };
  for (const auto& [layer, x] : cases) {
    const Tensor y = TimeDistributed(layer)(x);
    test::expect_close(y, step_by_step(layer, x), 1e-6, layer.class_name());
  }
}

TEST(TimeDistributed, TakesEmptyBatchesAndNoSteps) {
  for (const Layer& layer : std::vector<Layer>{Dense(2), BatchNormalization(), LayerNormalization()}) {
    const TimeDistributed distributed(layer);
    distributed.build({-1, 3, 2});
    EXPECT_EQ(distributed(Tensor::zeros({0, 3, 2})).shape(), (Shape{0, 3, 2})) << layer.class_name();
    EXPECT_EQ(distributed(Tensor::zeros({2, 0, 2})).shape(), (Shape{2, 0, 2})) << layer.class_name();
    EXPECT_EQ(distributed(Tensor::zeros({1, 7, 2})).shape(), (Shape{1, 7, 2})) << layer.class_name();
    EXPECT_EQ(distributed(Input({.shape = {-1, 2}})).shape(), (Shape{-1, -1, 2})) << layer.class_name();
  }
  EXPECT_EQ(TimeDistributed(Embedding(5, 2))(Tensor::zeros({2, 3, 4}, DType::int32)).shape(), (Shape{2, 3, 4, 2}));
}

TEST(TimeDistributed, HandsTrainingOn) {
  const Tensor x = test::random_tensor({4, 3, 2}, 3);
  const BatchNormalization layer({.momentum = 0.5});
  const TimeDistributed distributed(layer);
  distributed(x);
  const Tensor moving_mean = layer.weights()[2];
  EXPECT_EQ(moving_mean.to_vector(), (std::vector<double>{0, 0}));
  distributed(x, {.training = true});
  // One update for each step.
  const Tensor means = mean(x, {0});
  for (int channel = 0; channel < 2; ++channel) {
    double expected = 0;
    for (int i = 0; i < 3; ++i)
      expected =
          0.5 * expected + 0.5 * means.to_vector()[2 * static_cast<std::size_t>(i) + static_cast<std::size_t>(channel)];
    EXPECT_NEAR(layer.weights()[2].value().to_vector()[static_cast<std::size_t>(channel)], expected, 1e-6);
  }
}

TEST(TimeDistributed, DropsOtherElementsInEachStep) {
  const TimeDistributed layer(Dropout(0.5, {.seed = 1}));
  const Tensor ones = Tensor::full({2, 2, 50}, 1.0, DType::float32);
  EXPECT_EQ(layer(ones).to_vector(), ones.to_vector());
  const std::vector<Tensor> steps = unstack(layer(ones, {.training = true}), 1);
  EXPECT_NE(steps[0].to_vector(), steps[1].to_vector());
}

// As in Keras, which calls the layer without its activity regularizer; those inside a model have their effect.
TEST(TimeDistributed, AddsThePenaltiesInsideAModelOnly) {
  const Regularizer penalty = "l2";
  const Tensor x = test::random_tensor({2, 3, 4}, 4);
  const TimeDistributed single(Dense(2, {.activity_regularizer = penalty}));
  single(x);
  EXPECT_TRUE(single.losses().empty());
  const Sequential model({Input({.shape = {4}}), Dense(2, {.activity_regularizer = penalty})});
  const TimeDistributed whole(model);
  whole(x);
  EXPECT_EQ(whole.losses().size(), 3) << "one for each step";
}

TEST(TimeDistributed, TrainsWithAnyNumberOfSteps) {
  clear_session();
  set_random_seed(2);
  Sequential model({Input({.shape = {-1, 4}}), TimeDistributed(Dense(3, {.activation = "tanh"})),
                    TimeDistributed(BatchNormalization()), TimeDistributed(Dense(2))});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.fit(test::random_tensor({6, 5, 4}, 1), test::random_tensor({6, 5, 2}, 2), {.batch_size = 4, .verbose = 0});
  EXPECT_EQ(model.predict(test::random_tensor({3, 2, 4}, 1), {.verbose = 0}).shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(model.weights().front().path(), "sequential/time_distributed/dense/kernel");
}

// Its states are those of one batch size, and go on from step to step and from call to call.
TEST(TimeDistributed, KeepsTheStatesOfAStatefulLayer) {
  const Tensor x = test::random_tensor({2, 3, 4, 5}, 5);
  const LSTM plain(2, {.stateful = true});
  const TimeDistributed layer(LSTM(2, {.stateful = true}));
  plain.build({2, 4, 5});
  // The call builds the layer.
  EXPECT_EQ(layer(x).shape(), (Shape{2, 3, 2}));
  layer.set_weights(plain.get_weights());
  reset_states(layer);
  const Tensor first = step_by_step(plain, x);
  EXPECT_LT(test::relative_distance(layer(x), first), 1e-6);
  EXPECT_LT(test::relative_distance(layer(x), step_by_step(plain, x)), 1e-6);
  reset_states(layer);
  const SymbolicTensor inputs = Input({.shape = {3, 4, 5}, .batch_size = 2});
  const Model model({.inputs = inputs, .outputs = layer(inputs)});
  EXPECT_LT(test::relative_distance(model.predict(x, {.verbose = 0}), first), 1e-6);
}

TEST(TimeDistributed, NeedsOneOutput) {
  const SymbolicTensor x = Input({.shape = {4}});
  const Model two({.inputs = x, .outputs = {Dense(2)(x), Dense(2)(x)}});
  EXPECT_THROW(TimeDistributed{two}(Tensor::zeros({2, 3, 4})), ValueError);
  EXPECT_THROW(TimeDistributed{Dense(2)}(Tensor::zeros({2, 3})), ValueError);
}

TEST(TimeDistributed, ConfigComesBack) {
  const TimeDistributed inner(Dense(2), {.name = "inner"});
  const TimeDistributed layer(inner, {.name = "outer"});
  layer.build({-1, 2, 3, 4});
  const Layer read = deserialize(serialize(layer));
  EXPECT_EQ(read.get_config(), layer.get_config());
  EXPECT_EQ(read.get_config()["layer"]["config"]["name"].as_string(), "inner");
  EXPECT_EQ(read.weights().front().shape(), (Shape{4, 2}));
  EXPECT_THROW(TimeDistributed::from_config(io::Json::object()), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
