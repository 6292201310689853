// Layers as activations: `Dense(2, activation=LeakyReLU(0.25))` in files of Keras.

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/activations/leaky_relu.h>
#include <rhyton/layers/activations/prelu.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using io::Json;
using testing::ElementsAre;

Json described(const std::string& class_name, Json config) {
  config["name"] = "inner";
  config["trainable"] = true;
  config["dtype"] = "float32";
  return Json::object({{"module", "keras.layers"},
                       {"class_name", class_name},
                       {"config", std::move(config)},
                       {"registered_name", nullptr}});
}

TEST(LayerActivation, ComputesWhatTheLayerComputes) {
  const Tensor x = Tensor::from_data<float>({1, 4}, {-4, -1, 2, 8});
  const auto results = [&](const std::string& class_name, const Json& config) {
    return ActivationFunction::from_config(described(class_name, config))(x).to_vector();
  };
  EXPECT_THAT(results("LeakyReLU", Json::object({{"negative_slope", 0.25}})), ElementsAre(-1, -0.25, 2, 8));
  EXPECT_THAT(results("ReLU", Json::object({{"max_value", 6.0}, {"negative_slope", 0.0}, {"threshold", 1.0}})),
              ElementsAre(0, 0, 2, 6));
  EXPECT_THAT(results("Activation", Json::object({{"activation", "relu"}})), ElementsAre(0, 0, 2, 8));
}

TEST(LayerActivation, IsSavedAsALayer) {
  Json config = Dense(2).get_config();
  config["activation"] = described("LeakyReLU", Json::object({{"negative_slope", 0.25}}));
  const Dense dense = Dense::from_config(config);
  Json saved = dense.get_config()["activation"];
  EXPECT_EQ(saved["class_name"], Json("LeakyReLU"));
  EXPECT_EQ(saved["config"], config["activation"]["config"]);
  const Dense again = Dense::from_config(dense.get_config());
  const Tensor x = Tensor::from_data<float>({2, 2}, {-4, 1, 0, 2});
  dense(x);
  again(x);
  again.set_weights(dense.get_weights());
  EXPECT_EQ(again(x).to_vector(), dense(x).to_vector());
}

TEST(LayerActivation, MayBeGivenToALayer) {
  const Dense dense(2, {.activation = LeakyReLU({.negative_slope = 0.25}), .kernel_initializer = "ones"});
  const Json config = dense.get_config();
  EXPECT_EQ(Dense::from_config(config).get_config(), config);
  EXPECT_THAT(dense(Tensor::from_data<float>({1, 1}, {-4})).to_vector(), ElementsAre(-1, -1));
}

TEST(LayerActivation, HasNoWeights) {
  const std::string message = test::message_of<ValueError>([] {
    ActivationFunction::from_config(described("PReLU", Json::object({{"shared_axes", nullptr}})));
  });
  EXPECT_THAT(message, testing::HasSubstr("Layer \"inner\" (of type PReLU) cannot be the activation of another layer"));
  EXPECT_THROW(ActivationFunction::from_config(described("Nonsense", Json::object())), ValueError);
}

TEST(LayerActivation, MayBeOfAnyClassWithoutWeights) {
  Json config = Dense(1, {.kernel_initializer = "ones"}).get_config();
  config["activation"] = described("Rescaling", Json::object({{"scale", 3.0}, {"offset", 1.0}}));
  const Dense dense = Dense::from_config(config);
  EXPECT_THAT(dense(Tensor::from_data<float>({2, 1}, {2, -1})).to_vector(), ElementsAre(7, -2));
  EXPECT_EQ(dense.get_config()["activation"]["config"], config["activation"]["config"]);
}

TEST(LayerActivation, OneWithWeightsIsRefused) {
  EXPECT_EQ(test::message_of<ValueError>([] { Dense(2, {.activation = PReLU({.name = "slopes"})}); }),
            "Layer \"slopes\" (of type PReLU) cannot be the activation of another layer, which would neither train nor "
            "save its weights: it is not built, and may get weights when it is called. (A custom layer without weights "
            "calls `mark_built()` in its constructor.) Call it on the output of that layer.");
  Dense built(3);
  built(Tensor::from_data<float>({1, 4}, {1, 2, 3, 4}));
  EXPECT_THAT(test::message_of<ValueError>([&] { Dense(2, {.activation = built}); }),
              testing::EndsWith(": it has weights. Call it on the output of that layer."));
}

/// A custom layer that multiplies by a weight, which it has from the first call on.
class Slope : public LayerImpl {
 public:
  Slope() : LayerImpl({.name = "slope"}) {}
  std::string class_name() const override { return "Slope"; }
  void build(const std::vector<Shape>&) override { slope_ = add_weight({.initializer = "ones", .name = "slope"}); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {inputs[0] * slope_.value()}; }

 private:
  Variable slope_;
};

/// One that has it in a sublayer.
class Outer : public LayerImpl {
 public:
  Outer() : LayerImpl({.name = "outer"}) { mark_built(); }
  std::string class_name() const override { return "Outer"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {inner_(inputs[0])}; }

 private:
  Layer inner_ = track("inner", make_layer<Slope>());
};

class Doubled : public LayerImpl {
 public:
  Doubled() : LayerImpl({.name = "doubled"}) { mark_built(); }
  std::string class_name() const override { return "Doubled"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {inputs[0] * 2.0}; }
};

TEST(LayerActivation, OneThatGetsWeightsWhenItIsCalledIsRefused) {
  for (const Layer& layer : {make_layer<Slope>(), make_layer<Outer>()}) {
    EXPECT_THAT(test::message_of<ValueError>([&] { Dense(2, {.activation = layer}); }),
                testing::HasSubstr("it is not built, and may get weights when it is called."))
        << layer.name();
  }
  const Dense dense(1, {.activation = make_layer<Doubled>(), .kernel_initializer = "ones"});
  EXPECT_THAT(dense(Tensor::from_data<float>({1, 1}, {3})).to_vector(), ElementsAre(6));
}

}  // namespace
}  // namespace rhyton::layers
