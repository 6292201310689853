// Models with very many layers, from files and from C++: no recursion over them. benchmarks/deep_models.cc measures the
// time.

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>

namespace rhyton::models {
namespace {

using layers::Activation;
using layers::Input;
using layers::SymbolicTensor;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class DeepModelsTest : public ::testing::Test {
 protected:
  void SetUp() override { clear_session(); }
};

std::string name_of(int i) { return "l" + std::to_string(i); }

std::string input_config(const std::string& rest) {
  return R"({"class_name":"InputLayer","config":{"batch_shape":[null,1],"dtype":"float32","name":"l0"})" + rest + "}";
}

std::string layer_config(int i, const std::string& rest) {
  return R"({"class_name":"Activation","config":{"name":")" + name_of(i) + R"(","activation":"linear"})" + rest + "}";
}

/// A functional chain l0, l1, …; the file lists the last layer first if `is_reversed`.
std::string functional_chain(int layers, bool is_reversed) {
  std::vector<std::string> configs = {input_config(R"(,"name":"l0","inbound_nodes":[])")};
  for (int i = 1; i <= layers; ++i) {
    const std::string tensor =
        R"({"class_name":"__keras_tensor__","config":{"shape":[null,1],"dtype":"float32","keras_history":[")" +
        name_of(i - 1) + R"(",0,0]}})";
    configs.push_back(layer_config(
        i, R"(,"name":")" + name_of(i) + R"(","inbound_nodes":[{"args":[)" + tensor + R"(],"kwargs":{}}])"));
  }
  if (is_reversed) std::reverse(configs.begin(), configs.end());
  std::string text = R"({"class_name":"Functional","config":{"name":"deep","trainable":true,"layers":[)";
  for (std::size_t i = 0; i < configs.size(); ++i) text += (i > 0 ? "," : "") + configs[i];
  return text + R"(],"input_layers":[["l0",0,0]],"output_layers":[[")" + name_of(layers) + R"(",0,0]]}})";
}

std::string sequential_chain(int layers) {
  std::string text = R"({"class_name":"Sequential","config":{"name":"deep","layers":[)" + input_config("");
  for (int i = 1; i <= layers; ++i) text += "," + layer_config(i, "");
  return text + "]}}";
}

std::string summary_of(const Model& model) {
  std::string summary;
  model.summary({.print_fn = [&](const std::string& text) { summary = text; }});
  return summary;
}

TEST_F(DeepModelsTest, AFunctionalChainOf100000LayersLoads) {
  constexpr int layers = 100000;
  const Model model = model_from_json(functional_chain(layers, false));
  ASSERT_EQ(model.layers().size(), layers + 1);
  for (const int i : {0, 1, 50000, layers}) EXPECT_EQ(model.get_layer(i).name(), name_of(i));
  const std::string summary = summary_of(model);
  EXPECT_LT(summary.find("l99998 "), summary.find("l99999 "));
  EXPECT_EQ(model.to_json(), model_from_json(model.to_json()).to_json());
}

TEST_F(DeepModelsTest, TheOrderInTheFileDoesNotMatter) {
  const Model model = model_from_json(functional_chain(30000, true));
  for (const int i : {0, 1, 30000}) EXPECT_EQ(model.get_layer(i).name(), name_of(i));
}

TEST_F(DeepModelsTest, ASequentialOf100000LayersLoads) {
  constexpr int layers = 100000;
  const Model model = model_from_json(sequential_chain(layers));
  ASSERT_EQ(model.layers().size(), layers);
  EXPECT_EQ(model.get_layer(layers - 1).name(), name_of(layers));
  EXPECT_THAT(summary_of(model), HasSubstr("l100000 (Activation)"));
  EXPECT_EQ(model.to_json().substr(0, 40), model_from_json(model.to_json()).to_json().substr(0, 40));
}

TEST_F(DeepModelsTest, AChainOf200000CallsIsMadeAndReleased) {
  const Activation layer("linear");
  SymbolicTensor x = Input({.shape = {1}});
  for (int i = 0; i < 200000; ++i) x = layer(x);
  EXPECT_EQ(x.shape(), (Shape{-1, 1}));
  x = SymbolicTensor();

  const Input input({.shape = {1}});
  SymbolicTensor y = input;
  for (int i = 0; i < 200000; ++i) y = layer(y);
  const Model model({.inputs = input, .outputs = y});
  EXPECT_EQ(model.layers().size(), 2);
}

TEST_F(DeepModelsTest, ManyInputsOfOneLayerAreFoundInAnyOrder) {
  constexpr int inputs = 3000;
  std::vector<SymbolicTensor> tensors;
  for (int i = 0; i < inputs; ++i) tensors.push_back(Input({.shape = {1}, .name = "in" + std::to_string(i)}));
  const Model model({.inputs = tensors, .outputs = layers::Concatenate({.name = "all"})(tensors)});
  const std::string text = model.to_json();
  // The layer that depends on all others is first.
  io::Json config = io::Json::parse(text, "model");
  io::Json reversed = io::Json::array();
  const io::Json& given = config["config"]["layers"];
  for (std::size_t i = given.size(); i-- > 0;) reversed.push_back(given[i]);
  config["config"]["layers"] = reversed;
  EXPECT_EQ(model_from_json(config.dump()).layers().size(), inputs + 1);
}

TEST_F(DeepModelsTest, AModelOf5000LayersPredicts) {
  std::vector<layers::Layer> layers = {Input({.shape = {1}})};
  for (int i = 0; i < 5000; ++i) layers.push_back(layers::Dense(1, {.kernel_initializer = initializers::Ones()}));
  const Sequential model(layers);
  EXPECT_EQ(model.weights().size(), 10000);
  EXPECT_EQ(model.predict(Tensor::full({2, 1}, 3.0), {.verbose = 0}).to_vector(), (std::vector<double>{3, 3}));
}

TEST_F(DeepModelsTest, ATapeOf200000CallsIsDifferentiated) {
  const Tensor x = Tensor::full({1}, 2.0);
  GradientTape tape;
  tape.watch(x);
  Tensor y = x;
  for (int i = 0; i < 200000; ++i) y = negative(y);
  EXPECT_EQ(tape.gradient(y, x).item(), 1.0);
}

TEST_F(DeepModelsTest, ModelsNestedTooDeepAreRefused) {
  std::string text = sequential_chain(1);
  for (int i = 0; i < 10000; ++i) {
    text = R"({"class_name":"Sequential","config":{"name":"s)" + std::to_string(i) + R"(","layers":[)" + text + "]}}";
  }
  EXPECT_THAT([&] { model_from_json(text); }, ThrowsMessage<ValueError>(HasSubstr("nest deeper than 512 levels")));

  const auto nest = [&] {
    layers::Layer inner = Activation("linear");
    for (int i = 0; i < 10000; ++i) inner = Sequential(std::vector<layers::Layer>{inner});
  };
  EXPECT_THAT(nest, ThrowsMessage<ValueError>(HasSubstr("models nest deeper than 256 levels")));
}

TEST_F(DeepModelsTest, AModelCannotBeOneOfItsOwnLayers) {
  const Sequential outer({Activation("linear")});
  const Sequential inner(std::vector<layers::Layer>{outer});
  EXPECT_THAT([&] { outer.add(outer); }, ThrowsMessage<ValueError>(HasSubstr("cannot contain itself")));
  EXPECT_THAT([&] { outer.add(inner); }, ThrowsMessage<ValueError>(HasSubstr("cannot contain itself")));
}

}  // namespace
}  // namespace rhyton::models
