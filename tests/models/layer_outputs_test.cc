// Layer::input and Layer::output: models of inner activations.

#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/rhyton.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::models {
namespace {

using layers::Dense;
using layers::Embedding;
using layers::GlobalAveragePooling1D;
using layers::Input;
using layers::Layer;
using layers::LSTM;
using layers::SymbolicTensor;
using test::message_of;

class LayerOutputs : public ::testing::Test {
 protected:
  void SetUp() override { clear_session(); }
};

Model classifier() {
  const SymbolicTensor x = Input({.shape = {6}});
  const SymbolicTensor features = Dense(4, {.activation = "relu", .name = "features"})(x);
  return Model({.inputs = x, .outputs = Dense(3, {.name = "classes"})(features)});
}

TEST_F(LayerOutputs, MakeAModelOfInnerActivationsThatSharesTheWeights) {
  const Model model = classifier();
  const Model features({.inputs = model.inputs(), .outputs = model.get_layer("features").output()});
  const Tensor x = random::normal({5, 6});
  const Tensor expected = model.get_layer("features")(x);
  EXPECT_EQ(features(x).to_vector(), expected.to_vector());
  EXPECT_EQ(model.get_layer("classes")(features(x)).to_vector(), model(x).to_vector());
  model.get_layer("features").set_weights({Tensor::zeros({6, 4}), Tensor::full({4}, 2.0)});
  EXPECT_EQ(features(x).to_vector(), std::vector<double>(20, 2.0));
}

TEST_F(LayerOutputs, InputsAreWhatTheLayerWasCalledOn) {
  const Model model = classifier();
  EXPECT_TRUE(model.get_layer("classes").input().is_same(model.get_layer("features").output()));
  EXPECT_TRUE(model.get_layer("features").input().is_same(model.inputs()[0]));
  EXPECT_TRUE(model.get_layer(0).output().is_same(model.inputs()[0]));  // the Input layer
  // The head alone, from the middle of the model.
  const Model head({.inputs = model.get_layer("classes").input(), .outputs = model.outputs()[0]});
  const Tensor x = random::normal({2, 6});
  EXPECT_EQ(head(model.get_layer("features")(x)).to_vector(), model(x).to_vector());
}

TEST_F(LayerOutputs, OfASequentialAndOfALoadedModel) {
  const Sequential model({Input({.shape = {6}}), Dense(4, {.name = "first"}), Dense(2, {.name = "second"})});
  const Tensor x = random::normal({3, 6});
  const Model first({.inputs = model.inputs(), .outputs = model.get_layer("first").output()});
  EXPECT_EQ(first(x).to_vector(), model.get_layer("first")(x).to_vector());

  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "layer_outputs.keras";
  model.save(path.string());
  const Model loaded = load_model(path.string());
  std::filesystem::remove(path);
  const Model again({.inputs = loaded.inputs(), .outputs = loaded.get_layer("first").output()});
  EXPECT_EQ(again(x).to_vector(), first(x).to_vector());
}

TEST_F(LayerOutputs, AreThoseOfTheFirstCall) {
  const SymbolicTensor a = Input({.shape = {6}});
  const SymbolicTensor b = Input({.shape = {6}});
  const Dense shared(4);
  const SymbolicTensor of_a = shared(a);
  const SymbolicTensor of_b = shared(b);
  EXPECT_TRUE(shared.output().is_same(of_a));
  EXPECT_TRUE(shared.input().is_same(a));
}

TEST_F(LayerOutputs, OfAModelAreItsOwn) {
  const Model inner = classifier();
  const SymbolicTensor x = Input({.shape = {6}});
  const Model outer({.inputs = x, .outputs = inner(x)});
  const Layer as_layer = outer.get_layer(1);
  EXPECT_TRUE(as_layer.output().is_same(inner.outputs()[0]));
  EXPECT_TRUE(as_layer.input().is_same(inner.inputs()[0]));
}

TEST_F(LayerOutputs, KeepTheMask) {
  const SymbolicTensor words = Input({.shape = {-1}, .dtype = "int32"});
  const Embedding embedding(10, 3, {.mask_zero = true});
  const Model model({.inputs = words, .outputs = GlobalAveragePooling1D()(embedding(words))});
  const Model again({.inputs = words, .outputs = GlobalAveragePooling1D()(embedding.output())});
  const Tensor padded = Tensor::from_data<std::int32_t>({1, 4}, {5, 9, 0, 0});
  EXPECT_TRUE(embedding.output().has_mask());
  EXPECT_EQ(again(padded).to_vector(), model(padded).to_vector());
}

TEST_F(LayerOutputs, AreAllOfThemWhereThereAreSeveral) {
  const SymbolicTensor x = Input({.shape = {5, 2}});
  const LSTM lstm(3, {.return_state = true, .name = "lstm"});
  const std::vector<SymbolicTensor> outputs = lstm.call_many({x});
  ASSERT_EQ(lstm.outputs().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(lstm.outputs()[i].is_same(outputs[i]));
  EXPECT_EQ(message_of<ValueError>([&] { lstm.output(); }), "The layer lstm has 3 outputs, not one.");
}

TEST_F(LayerOutputs, NeedACallThatIsStillHeld) {
  const Dense dense(4, {.name = "dense"});
  EXPECT_EQ(message_of<ValueError>([&] { dense.output(); }),
            "The layer dense has never been called and thus has no defined output.");
  EXPECT_EQ(message_of<ValueError>([&] { dense.input(); }),
            "The layer dense has never been called and thus has no defined input.");
  dense(random::normal({1, 6}));  // on values
  EXPECT_THROW(dense.output(), ValueError);
  for (int i = 0; i < 100; ++i) dense(Input({.shape = {6}}));
  EXPECT_THROW(dense.output(), ValueError);
  const SymbolicTensor y = dense(Input({.shape = {6}}));
  EXPECT_TRUE(dense.output().is_same(y));
}

TEST_F(LayerOutputs, OfOneLayerMayBeMadeAndReadByManyThreads) {
  const Dense dense(4);
  const SymbolicTensor first = dense(Input({.shape = {6}}));
  std::vector<std::thread> threads;
  std::vector<int> same(4, 0);
  for (int& count : same) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const SymbolicTensor y = dense(Input({.shape = {6}}));
        count += dense.output().is_same(first) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 50));
}

}  // namespace
}  // namespace rhyton::models
