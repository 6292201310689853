#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/rnn/lstm.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

std::vector<std::string> names_of(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& variable : variables) names.push_back(variable.name());
  return names;
}

using Names = std::vector<std::string>;

TEST(LayerVariables, AreTheWeightsAndTheStatesOfRandomGenerators) {
  const models::Sequential model({Dense(2), Dropout(0.5), BatchNormalization()});
  model.build({-1, 3});
  EXPECT_EQ(names_of(model.weights()), (Names{"kernel", "bias", "gamma", "beta", "moving_mean", "moving_variance"}));
  EXPECT_EQ(names_of(model.variables()),
            (Names{"kernel", "bias", "seed_generator_state", "gamma", "beta", "moving_mean", "moving_variance"}));
  EXPECT_EQ(names_of(model.trainable_variables()), (Names{"kernel", "bias", "gamma", "beta"}));
  EXPECT_EQ(names_of(model.non_trainable_variables()),
            (Names{"seed_generator_state", "moving_mean", "moving_variance"}));
}

TEST(LayerVariables, OfAFrozenLayerAreNotTrainable) {
  const Dense dense(2, {.trainable = false});
  dense.build({-1, 3});
  EXPECT_TRUE(dense.trainable_variables().empty());
  EXPECT_EQ(names_of(dense.non_trainable_variables()), (Names{"kernel", "bias"}));
}

TEST(ComputeOutputShape, FollowsFromTheInput) {
  EXPECT_EQ(Dense(3).compute_output_shape({-1, 7, 4}), (Shape{-1, 7, 3}));
  EXPECT_EQ(Conv2D(2, 3, {.strides = 2, .padding = "same"}).compute_output_shape({-1, 9, -1, 1}),
            (Shape{-1, 5, -1, 2}));
  EXPECT_EQ(models::Sequential({Dense(3), Dense(5)}).compute_output_shape({8, 2}), (Shape{8, 5}));
}

TEST(ComputeOutputShape, IsOfOneOutput) {
  const LSTM layer(4, {.return_state = true});
  EXPECT_THROW(layer.compute_output_shape({-1, 5, 3}), ValueError);
  const std::vector<TensorSpec> specs = layer.compute_output_spec({{{2, 5, 3}, DType::float32}});
  ASSERT_EQ(specs.size(), 3);
  EXPECT_EQ(specs[1].shape, (Shape{2, 4}));
}

TEST(ComputeOutputShape, RefusesWhatACallRefuses) {
  const Dense dense(3);
  dense.build({-1, 4});
  EXPECT_THROW(dense.compute_output_shape({-1, 5}), ValueError);
}

TEST(BuildFromConfig, BuildsForTheShapesOfAnotherLayer) {
  const Dense first(3);
  first.build({-1, 4});
  const Dense second(3);
  second.build_from_config(second.get_build_config());
  EXPECT_FALSE(second.is_built());
  second.build_from_config(first.get_build_config());
  EXPECT_EQ(second.weights()[0].shape(), (Shape{4, 3}));
}

TEST(EmptyLayer, IsRefusedByAllThatUsesIt) {
  const Layer empty;
  const std::string message = "An empty layer handle was used: it holds no layer.";
  EXPECT_EQ(test::message_of<RuntimeError>([&] { empty(Tensor::zeros({2, 3})); }), message);
  EXPECT_EQ(test::message_of<RuntimeError>([&] { empty(Input({.shape = {3}})); }), message);
  EXPECT_EQ(test::message_of<RuntimeError>([&] { empty.build({-1, 3}); }), message);
  EXPECT_EQ(test::message_of<RuntimeError>([&] { static_cast<void>(empty.weights()); }), message);
}

TEST(LayerDTypes, FollowFromThePolicy) {
  const Dense dense(3, {.dtype = "mixed_float16"});
  EXPECT_EQ(dense.dtype_policy(), "mixed_float16");
  EXPECT_EQ(dense.compute_dtype(), DType::float16);
  EXPECT_EQ(dense.input_dtype(), DType::float16);
  EXPECT_EQ(dense.variable_dtype(), DType::float32);
}

}  // namespace
}  // namespace rhyton::layers
