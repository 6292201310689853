#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/subtract.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/models/golden_models.h>

namespace rhyton::models {
namespace {

using layers::Dense;
using layers::Input;
using layers::SymbolicTensor;

Tensor row(const std::vector<float>& values) {
  return Tensor::from_data<float>({1, static_cast<std::int64_t>(values.size())}, values);
}

/// A layer that multiplies by a number, stored as a weight.
layers::Layer times(float factor, const std::string& name) {
  Dense layer(1, {.use_bias = false, .name = name});
  layer.build({-1, 1});
  layer.set_weights({Tensor::from_data<float>({1, 1}, {factor})});
  return layer;
}

std::vector<std::string> names_of(const std::vector<layers::Layer>& layers) {
  std::vector<std::string> names;
  for (const layers::Layer& layer : layers) names.push_back(layer.name());
  return names;
}

TEST(Functional, ComputesSharedLayersAndSeveralEnds) {
  const Input a({.shape = {1}, .name = "a"});
  const Input b({.shape = {1}, .name = "b"});
  const layers::Layer twice = times(2, "twice");
  const layers::Layer thrice = times(3, "thrice");
  const SymbolicTensor sum = layers::Add({.name = "sum"})({twice(a), twice(b)});
  const Model model({.inputs = {a, b}, .outputs = {thrice(sum), sum}});
  EXPECT_EQ(names_of(model.layers()), (std::vector<std::string>{"a", "b", "twice", "sum", "thrice"}));
  EXPECT_EQ(model.output_names(), (std::vector<std::string>{"thrice", "sum"}));
  EXPECT_EQ(model.weights().size(), 2);

  const std::vector<Tensor> outputs = model.call_many({row({1}), row({10})});
  ASSERT_EQ(outputs.size(), 2);
  EXPECT_EQ(outputs[0].item(), 66);
  EXPECT_EQ(outputs[1].item(), 22);
}

TEST(Functional, NestsModelsAsLayers) {
  const Input inner_input({.shape = {1}});
  const layers::Layer twice = times(2, "twice");
  const Model inner({.inputs = inner_input, .outputs = twice(inner_input), .name = "inner"});
  const Input x({.shape = {1}});
  const Model outer({.inputs = x, .outputs = inner(times(3, "thrice")(inner(x)))});
  EXPECT_EQ(outer(row({1})).item(), 12);
  EXPECT_EQ(outer.count_params(), 2);
  EXPECT_TRUE(outer.get_layer("inner").is_same(inner));
  EXPECT_EQ(Model::from_layer(outer.get_layer("inner")).get_layer("twice").name(), "twice");
  EXPECT_THROW(Model::from_layer(outer.get_layer("thrice")), TypeError);

  inner.set_trainable(false);
  EXPECT_FALSE(twice.trainable());
  EXPECT_EQ(outer.trainable_weights().size(), 1);
  EXPECT_EQ(outer.non_trainable_weights().size(), 1);
}

TEST(Functional, NestsModelsWithSeveralOutputs) {
  const Input input({.shape = {1}});
  const Model split(
      {.inputs = input, .outputs = {times(2, "twice")(input), times(3, "thrice")(input)}, .name = "split"});
  const Input x({.shape = {1}});
  const Model model({.inputs = x, .outputs = layers::Subtract()(split.call_many({x}))});
  EXPECT_EQ(model(row({5})).item(), -5);
  EXPECT_EQ(message_of<ValueError>([&] { split(x); }), "Layer \"split\" has 2 outputs: call it with `call_many`.");
  const Model again = model_from_json(model.to_json());
  again.set_weights(model.get_weights());
  EXPECT_EQ(again(row({5})).item(), -5);
}

// Keras writes `mask=[None, None]` for a call of a nested model with two inputs.
TEST(Functional, ReadsCallsThatSayOfEachInputThatItHasNoMask) {
  const Input a({.shape = {1}, .name = "a"});
  const Input b({.shape = {1}, .name = "b"});
  const Model inner({.inputs = {a, b}, .outputs = layers::Subtract()({a, b}), .name = "inner"});
  const Input x({.shape = {1}, .name = "x"});
  const Input y({.shape = {1}, .name = "y"});
  const Model model({.inputs = {x, y}, .outputs = inner({x, y})});
  io::Json config = io::Json::parse(model.to_json());
  io::Json& call = config["config"]["layers"][2]["inbound_nodes"][0];
  call["kwargs"] = io::Json::object({{"mask", io::Json::array({nullptr, nullptr})}});
  EXPECT_EQ(model_from_json(config.dump()).predict({row({5}), row({3})}, {.verbose = 0}).item(), 2);
}

TEST(Functional, CutsAModelOutOfAnother) {
  const Input x({.shape = {1}, .name = "x"});
  const SymbolicTensor middle = times(2, "twice")(x);
  const SymbolicTensor end = times(3, "thrice")(middle);
  const Model head({.inputs = x, .outputs = middle});
  const Model tail({.inputs = middle, .outputs = end});
  EXPECT_EQ(head(row({1})).item(), 2);
  EXPECT_EQ(tail(row({1})).item(), 3);
  EXPECT_EQ(names_of(head.layers()), (std::vector<std::string>{"x", "twice"}));
  EXPECT_EQ(tail.layers().size(), 2);
  EXPECT_TRUE(tail.get_layer("thrice").is_same(Model({.inputs = x, .outputs = end}).get_layer("thrice")));
}

TEST(Functional, TakesInputsThatNoOutputNeeds) {
  const Input a({.shape = {1}, .name = "a"});
  const Input b({.shape = {1}, .name = "b"});
  const Model model({.inputs = {a, b}, .outputs = times(2, "twice")(a)});
  EXPECT_EQ(model({row({4}), row({9})}).item(), 8);
}

TEST(Functional, GivesAnInputBack) {
  const Input x({.shape = {2}});
  const Model model({.inputs = x, .outputs = x});
  EXPECT_EQ(model(row({1, 2})).to_vector(), (std::vector<double>{1, 2}));
}

TEST(Functional, AdaptsTypesAndTheLastAxis) {
  const Input x({.shape = {1}});
  const Model model({.inputs = x, .outputs = times(2, "twice")(x)});
  EXPECT_EQ(model(Tensor::from_data<std::int32_t>({2, 1}, {1, 2})).to_vector(), (std::vector<double>{2, 4}));
  EXPECT_EQ(model(Tensor::from_data<float>({2}, {1, 2})).shape(), (Shape{2, 1}));
  EXPECT_EQ(model(Tensor::from_data<float>({2, 1, 1}, {1, 2})).shape(), (Shape{2, 1}));
}

TEST(Functional, PassesTrainingOn) {
  const Input x({.shape = {100}});
  const Model model({.inputs = x, .outputs = layers::Dropout(0.5)(x)});
  const Tensor ones = Tensor::full({1, 100}, 1);
  EXPECT_EQ(model(ones).to_vector(), ones.to_vector());
  EXPECT_NE(model(ones, {.training = true}).to_vector(), ones.to_vector());
  const layers::TrainingScope scope(true);
  EXPECT_NE(model(ones).to_vector(), ones.to_vector());
  EXPECT_EQ(model(ones, {.training = false}).to_vector(), ones.to_vector());
}

TEST(Functional, HasKerasNamesAndDescribesItself) {
  clear_session();
  const Input x({.shape = {3}});
  const Model first({.inputs = x, .outputs = Dense(2)(x)});
  const Model second({.inputs = x, .outputs = Dense(2)(x)});
  EXPECT_EQ(first.name(), "functional");
  EXPECT_EQ(second.name(), "functional_1");
  EXPECT_EQ(second.get_layer(1).name(), "dense_1");
  EXPECT_EQ(first.inputs().front().shape(), (Shape{-1, 3}));
  EXPECT_EQ(first.outputs().front().shape(), (Shape{-1, 2}));
  EXPECT_EQ(first.get_layer(-1).name(), "dense");
  EXPECT_EQ(first.count_params(), 8);
  EXPECT_EQ(first.weights().front().path(), "dense/kernel");
}

TEST(Functional, ErrorsAreThoseOfKeras) {
  const Input x({.shape = {4}});
  const Input other({.shape = {4}});
  EXPECT_EQ(message_of<ValueError>(
                [&] { Model({.inputs = x, .outputs = Dense(3, {.name = "a"})(Dense(3, {.name = "a"})(x))}); }),
            golden_message("duplicate_name_functional"));
  EXPECT_EQ(message_of<ValueError>([&] { Model({.inputs = x, .outputs = Dense(1)(other)}); }),
            golden_message("functional_disconnected"));
  EXPECT_EQ(message_of<ValueError>([&] {
              Model({.inputs = x, .outputs = {x, Dense(1)(other)}});
            }),
            "Output with path `1` is not connected to `inputs`");
  EXPECT_THROW(Model({.inputs = x}), ValueError);
  EXPECT_THROW(Model({.outputs = x}), ValueError);
  EXPECT_THROW(Model({.inputs = x, .outputs = SymbolicTensor()}), ValueError);
  EXPECT_THROW(static_cast<void>(Model().layers()), RuntimeError);

  clear_session();
  const Input a({.shape = {4}, .name = "a"});
  const Input b({.shape = {4}, .name = "b"});
  const Model two({.inputs = {a, b}, .outputs = layers::Add()({a, b})});
  const Tensor data = Tensor::zeros({2, 4});
  EXPECT_EQ(message_of<ValueError>([&] { two(data); }), golden_message("one_input_of_two"));
  EXPECT_EQ(message_of<ValueError>([&] { two({data, data, data}); }), golden_message("three_inputs_of_two"));
  EXPECT_EQ(
      message_of<ValueError>([&] {
        two({data, Tensor::zeros({2, 5})});
      }),
      "Input 1 with name 'b' of layer 'functional' is incompatible with the layer: expected shape=(None, 4), found "
      "shape=(2, 5)");
  EXPECT_EQ(message_of<ValueError>([&] {
              two({data, Tensor::zeros({2, 4, 4})});
            }),
            "Invalid input shape for input Tensor(shape=(2, 4, 4), dtype=float32) with name 'b' and path '1'. Expected "
            "shape (None, 4), but input has incompatible shape (2, 4, 4)");
  EXPECT_NO_THROW(two.predict({data, data}, {.verbose = 0}));
  EXPECT_EQ(message_of<ValueError>([&] { two.fit({data, data}, data); }), golden_message("fit_before_compile"));
}

TEST(Functional, TakesAllForms) {
  const Input a({.shape = {2}, .name = "a"});
  const Input b({.shape = {2}, .name = "b"});
  const SymbolicTensor sum = layers::Add()({a, b});
  const std::vector<SymbolicTensor> list = {a, b};
  const std::map<std::string, SymbolicTensor> map = {{"b", b}, {"a", a}};
  for (const Model& model : {Model({.inputs = {a, b}, .outputs = sum}), Model({.inputs = list, .outputs = {sum}}),
                             Model({.inputs = map, .outputs = sum, .name = "m"}),
                             Model({.inputs = {{"a", a}, {"b", b}}, .outputs = sum, .trainable = false})}) {
    EXPECT_EQ(model.input_names(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(model({row({1, 2}), row({3, 4})}).to_vector(), (std::vector<double>{4, 6}));
  }
}

}  // namespace
}  // namespace rhyton::models
