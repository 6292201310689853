#include <rhyton/models/sequential.h>

#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/tests/models/golden_models.h>

namespace rhyton::models {
namespace {

using layers::Dense;
using layers::Input;

class SequentialTest : public testing::Test {
 protected:
  void SetUp() override { clear_session(); }
};

TEST_F(SequentialTest, IsBuiltAtOnceBehindAnInput) {
  const Sequential model({Input({.shape = {4}}), Dense(3), Dense(2)});
  EXPECT_TRUE(model.is_built());
  EXPECT_EQ(model.name(), "sequential");
  EXPECT_EQ(model.layers().size(), 2);
  EXPECT_EQ(model.count_params(), 4 * 3 + 3 + 3 * 2 + 2);
  EXPECT_EQ(model.weights().front().path(), "sequential/dense/kernel");
  EXPECT_EQ(model.outputs().front().shape(), (Shape{-1, 2}));
  EXPECT_EQ(model(Tensor::zeros({5, 4})).shape(), (Shape{5, 2}));
}

TEST_F(SequentialTest, IsElseBuiltWhenItIsCalled) {
  const Sequential model({Dense(3), Dense(2)});
  EXPECT_FALSE(model.is_built());
  EXPECT_TRUE(model.get_weights().empty());
  EXPECT_EQ(model(Tensor::zeros({5, 4})).shape(), (Shape{5, 2}));
  EXPECT_EQ(model.inputs().front().shape(), (Shape{-1, 4}));
  EXPECT_EQ(model.weights().size(), 4);
  EXPECT_EQ(model.weights().front().path(), "sequential/dense/kernel");
  EXPECT_EQ(model(Tensor::zeros({7, 4})).shape(), (Shape{7, 2}));
}

TEST_F(SequentialTest, GrowsAndShrinks) {
  const Sequential model;
  model.add(Input({.shape = {4}}));
  model.add(Dense(3));
  EXPECT_TRUE(model.is_built());
  model.add(Dense(2));
  EXPECT_EQ(model.weights().back().path(), "sequential/dense_1/bias");
  EXPECT_EQ(model(Tensor::zeros({1, 4})).shape(), (Shape{1, 2}));
  EXPECT_EQ(model.pop().name(), "dense_1");
  EXPECT_EQ(model(Tensor::zeros({1, 4})).shape(), (Shape{1, 3}));
  EXPECT_EQ(model.layers().size(), 1);
}

TEST_F(SequentialTest, MayHoldALayerTwice) {
  const Dense dense(4);
  const Sequential model({Input({.shape = {4}}), dense, dense});
  EXPECT_EQ(model.weights().size(), 2);
  const Tensor x = Tensor::full({1, 4}, 1);
  EXPECT_EQ(model(x).to_vector(), dense(dense(x)).to_vector());
}

TEST_F(SequentialTest, CallsLayersOneByOneOnSeveralTensors) {
  const Sequential model({layers::Concatenate(), Dense(2)});
  EXPECT_EQ(model({Tensor::zeros({3, 1}), Tensor::zeros({3, 4})}).shape(), (Shape{3, 2}));
  EXPECT_EQ(model.count_params(), 12);
}

TEST_F(SequentialTest, TakesItsNameAndTrainable) {
  const Sequential model({Input({.shape = {4}}), Dense(3)}, {.trainable = false, .name = "frozen"});
  EXPECT_EQ(model.name(), "frozen");
  EXPECT_TRUE(model.trainable_weights().empty());
  EXPECT_EQ(Sequential().name(), "sequential");
  EXPECT_EQ(Sequential().name(), "sequential_1");
  EXPECT_EQ(Sequential(std::vector<layers::Layer>{Dense(1)}).layers().size(), 1);
}

TEST_F(SequentialTest, ErrorsOfBuildingAreThoseOfKeras) {
  EXPECT_EQ(message_of<ValueError>([] {
              Sequential({Dense(3, {.name = "a"}), Dense(3, {.name = "a"})});
            }),
            golden_message("duplicate_name_sequential"));
  clear_session();
  EXPECT_EQ(message_of<ValueError>([] {
              Sequential({Input({.shape = {4}}), Input({.shape = {4}})});
            }),
            golden_message("sequential_two_inputs"));
  clear_session();
  EXPECT_EQ(message_of<ValueError>([] {
              Sequential()(Tensor::zeros({2, 3}));
            }),
            golden_message("empty_sequential_call"));
  clear_session();
  EXPECT_EQ(message_of<ValueError>([] { Sequential().build({-1, 3}); }), golden_message("empty_sequential_build"));
  EXPECT_THROW(Sequential().pop(), ValueError);
  EXPECT_THROW(Sequential({layers::Layer()}), ValueError);
}

TEST_F(SequentialTest, ErrorsOfUseAreThoseOfKeras) {
  const Sequential unbuilt({Dense(3)});
  EXPECT_EQ(message_of<ValueError>([&] { unbuilt.count_params(); }), golden_message("unbuilt_count_params"));
  EXPECT_EQ(message_of<ValueError>([&] { unbuilt.inputs(); }), golden_message("unbuilt_inputs"));
  EXPECT_EQ(message_of<ValueError>([&] { unbuilt.set_weights({Tensor::zeros({3})}); }),
            golden_message("unbuilt_set_weights"));
  clear_session();

  const Sequential model({Input({.shape = {4}}), Dense(3)});
  EXPECT_EQ(message_of<ValueError>([&] { model.get_layer("nonsense"); }), golden_message("get_layer_name"));
  EXPECT_EQ(message_of<ValueError>([&] { model.get_layer(7); }), golden_message("get_layer_index"));
  EXPECT_EQ(message_of<ValueError>([&] {
              model.set_weights({Tensor::zeros({4, 3})});
            }),
            golden_message("set_weights_count"));
  EXPECT_EQ(message_of<ValueError>([&] {
              model.set_weights({Tensor::zeros({4, 3}), Tensor::zeros({4})});
            }),
            golden_message("set_weights_shape"));
  const std::string wrong_width = message_of<ValueError>([&] { model(Tensor::zeros({6, 5})); });
  EXPECT_FALSE(wrong_width.empty());
  EXPECT_NE(golden_message("call_wrong_width").find(wrong_width), std::string::npos) << wrong_width;
  EXPECT_EQ(message_of<ValueError>([&] {
              model.fit(Tensor::zeros({6, 4}), Tensor::zeros({6}));
            }),
            golden_message("fit_before_compile"));
}

// Forms that must compile, and forms that must not.
static_assert(sizeof(Sequential) == sizeof(layers::Layer));
static_assert(std::is_convertible_v<Sequential, layers::Layer>);
static_assert(std::is_convertible_v<Sequential, Model>);
static_assert(!std::is_convertible_v<int, Sequential>);
static_assert(!std::is_convertible_v<layers::Layer, Sequential>);
static_assert(!std::is_convertible_v<std::vector<layers::Layer>, Sequential>);
static_assert(!std::is_constructible_v<Sequential, const char*>);
static_assert(!std::is_constructible_v<Model, layers::SymbolicTensor>);

TEST_F(SequentialTest, IsMadeInTheseForms) {
  const Sequential empty;
  const Sequential named({.name = "named"});
  const Sequential one({Dense(1)});
  const Sequential several({Input({.shape = {2}}), Dense(1), one});
  const Sequential copy(several);  // NOLINT(performance-unnecessary-copy-initialization): the copy is tested
  EXPECT_TRUE(copy.is_same(several));
  EXPECT_EQ(several.layers().size(), 2);
}

TEST_F(SequentialTest, PredictsWithTheLayersThatItHasNow) {
  Sequential model({Input({.shape = {3}}), Dense(4)});
  const Tensor x = Tensor::full({2, 3}, 1.0);
  EXPECT_EQ(model.predict(x, {.verbose = 0}).shape(), (Shape{2, 4}));
  model.add(Dense(5));
  EXPECT_EQ(model.predict(x, {.verbose = 0}).shape(), (Shape{2, 5}));
  EXPECT_EQ(model.predict(x, {.verbose = 0}).to_vector(), model(x).to_vector());
  model.pop();
  EXPECT_EQ(model.predict(x, {.verbose = 0}).shape(), (Shape{2, 4}));
}

}  // namespace
}  // namespace rhyton::models
