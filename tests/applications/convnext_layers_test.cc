// The layers of ConvNeXts that Keras does not export: as files have them.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/applications/applications.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::applications {
namespace {

using io::Json;
using layers::Layer;
using test::message_of;

/// A layer of the module of ConvNeXts, as Keras writes it.
Json described(const std::string& class_name, const Json& arguments) {
  Json config = Json::object({{"name", "mine"}, {"trainable", true}, {"dtype", "float32"}});
  for (const auto& [key, value] : arguments.items()) config[key] = value;
  return Json::object({{"module", "keras.src.applications.convnext"},
                       {"class_name", class_name},
                       {"config", config},
                       {"registered_name", class_name}});
}

Layer stochastic_depth(double rate) {
  return layers::deserialize(described("StochasticDepth", Json::object({{"drop_path_rate", rate}})));
}

Layer layer_scale(double initial, std::int64_t channels) {
  return layers::deserialize(
      described("LayerScale", Json::object({{"init_values", initial}, {"projection_dim", channels}})));
}

TEST(LayerScale, MultipliesChannels) {
  const Layer layer = layer_scale(0.5, 3);
  const Tensor x = test::random_tensor({2, 4, 4, 3}, 1);
  EXPECT_TRUE(test::same_bits(layer(x), x * 0.5));
  layer.set_weights({Tensor::from_data<float>({3}, {1, 2, 3})});
  EXPECT_TRUE(test::same_bits(layer(x), x * Tensor::from_data<float>({3}, {1, 2, 3})));
  ASSERT_EQ(layer.trainable_weights().size(), 1U);
  EXPECT_EQ(layer.weights().front().name(), "variable");
  const layers::Input image({.shape = {-1, -1, 3}});
  EXPECT_EQ(layer(image).shape(), (Shape{-1, -1, -1, 3}));
}

TEST(LayerScale, IsWrittenAsKerasWritesIt) {
  const Layer layer = layer_scale(1e-6, 2);
  layer.build({-1, 5, 2});
  Json expected = described("LayerScale", Json::object({{"init_values", 1e-6}, {"projection_dim", 2}}));
  const Json written = layers::serialize(layer);
  EXPECT_EQ(written["config"], expected["config"]);
  EXPECT_EQ(written["module"], expected["module"]);
  EXPECT_EQ(written["registered_name"], expected["registered_name"]);
  EXPECT_EQ(written["build_config"]["input_shape"], Json::array({Json(), 5, 2}));
}

TEST(LayerScale, ComputesInThePolicysDtype) {
  Json config = described("LayerScale", Json::object({{"init_values", 0.5}, {"projection_dim", 2}}));
  config["config"]["dtype"] = "mixed_float16";
  const Layer layer = layers::deserialize(config);
  EXPECT_EQ(layer(Tensor::full({3, 2}, 3.0)).dtype(), DType::float16);
  EXPECT_EQ(layer.weights().front().dtype(), DType::float32);
}

TEST(LayerScale, RefusesOtherChannels) {
  EXPECT_THROW(layer_scale(1, 3)(Tensor::zeros({2, 4})), ValueError);
  EXPECT_THROW(layer_scale(1, 1'000'000'000'000'000)(Tensor::zeros({2, 4})), ValueError);
  EXPECT_THROW(layer_scale(1, -3)(Tensor::zeros({2, 1})), ValueError);
}

TEST(StochasticDepth, DropsWholeSamples) {
  set_random_seed(3);
  const Layer layer = stochastic_depth(0.25);
  constexpr std::int64_t samples = 4000;
  const Tensor x = Tensor::full({samples, 2, 1, 3}, 3.0);
  EXPECT_TRUE(test::same_bits(layer(x), x));
  const std::vector<double> first = layer(x, {.training = true}).to_vector();
  std::int64_t kept = 0;
  for (std::size_t i = 0; i < first.size(); i += 6) {
    for (std::size_t j = 1; j < 6; ++j) ASSERT_EQ(first[i], first[i + j]) << i;
    ASSERT_TRUE(first[i] == 0 || first[i] == 4) << first[i];
    kept += first[i] == 0 ? 0 : 1;
  }
  EXPECT_NEAR(static_cast<double>(kept) / samples, 0.75, 0.03);
  EXPECT_NE(layer(x, {.training = true}).to_vector(), first);
  EXPECT_TRUE(layer.weights().empty());
}

TEST(StochasticDepth, PassesGradientsOfKeptSamples) {
  const Layer layer = stochastic_depth(0.5);
  const Tensor x = Tensor::full({50, 2}, 1.0);
  GradientTape tape;
  tape.watch(x);
  const Tensor y = layer(x, {.training = true});
  EXPECT_TRUE(test::same_bits(tape.gradient(y, x), y));
}

TEST(StochasticDepth, HasTheLimitsOfItsRates) {
  const Tensor x = test::random_tensor({3, 2}, 1);
  EXPECT_TRUE(test::same_bits(stochastic_depth(0)(x, {.training = true}), x));
  EXPECT_TRUE(test::same_bits(stochastic_depth(1)(x, {.training = true}), zeros_like(x)));
  EXPECT_EQ(message_of<ValueError>([] { stochastic_depth(1.5); }),
            "`drop_path_rate` must be between 0 and 1. Received: drop_path_rate=1.5 (layer 'mine' of class "
            "StochasticDepth)");
  EXPECT_THROW(stochastic_depth(-0.1), ValueError);
}

TEST(StochasticDepth, IsWrittenAsKerasWritesIt) {
  const Json expected = described("StochasticDepth", Json::object({{"drop_path_rate", 0.3}}));
  EXPECT_EQ(layers::serialize(stochastic_depth(0.3)), expected);
}

}  // namespace
}  // namespace rhyton::applications
