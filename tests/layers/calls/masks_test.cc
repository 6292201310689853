// Masks: which layers make, pass, use and drop them, on values and in models.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/layers.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Values = std::vector<double>;

/// The warnings of this scope.
class Warnings {
 public:
  Warnings() : previous_(config::set_warning_handler([this](const std::string& text) { list.push_back(text); })) {}
  ~Warnings() { config::set_warning_handler(previous_); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;

  std::vector<std::string> list;

 private:
  config::WarningHandler previous_;
};

class MasksTest : public ::testing::Test {
 protected:
  void SetUp() override { clear_session(); }

  const Tensor ids = Tensor::from_data<std::int32_t>({2, 4}, {1, 2, 0, 0, 3, 0, 1, 0});
  const Values counts = {1, 1, 0, 0, 1, 0, 1, 0};
  const Layer embedding = Embedding(4, 3, {.mask_zero = true});
  const Tensor embedded = embedding(ids);
};

Tensor bools(const Shape& shape, const std::vector<int>& values) {
  return Tensor::from_data<std::int32_t>(shape, std::vector<std::int32_t>(values.begin(), values.end()))
      .cast(DType::bool_);
}

TEST_F(MasksTest, BelongToAHandle) {
  const Tensor x = Tensor::zeros({2, 4, 3});
  const Tensor masked = x.with_mask(bools({2, 4}, {1, 1, 0, 0, 1, 0, 1, 0}));
  EXPECT_TRUE(masked.is_same(x));
  EXPECT_FALSE(x.has_mask());
  const std::vector<Tensor> copies = {masked};
  EXPECT_EQ(copies[0].mask().to_vector(), counts);
  EXPECT_FALSE(masked.with_mask({}).has_mask());
  EXPECT_TRUE(x.mask().is_empty());
  EXPECT_FALSE((masked + 1).has_mask());
}

TEST_F(MasksTest, AreMadeByEmbeddingAndMasking) {
  EXPECT_EQ(embedded.mask().dtype(), DType::bool_);
  EXPECT_EQ(embedded.mask().to_vector(), counts);
  EXPECT_FALSE(Embedding(4, 3)(ids).has_mask());
  const Tensor x = Tensor::from_data<float>({1, 3, 2}, {5, 5, 5, 1, 2, 3});
  const Tensor masked = Masking({.mask_value = 5})(x);
  EXPECT_EQ(masked.to_vector(), (Values{0, 0, 5, 1, 2, 3}));
  EXPECT_EQ(masked.mask().to_vector(), (Values{0, 1, 1}));
}

TEST_F(MasksTest, PassThroughLayersThatSupportThem) {
  for (const Layer& layer : std::vector<Layer>{Dense(2), Dropout(0.5), Activation("tanh"), ReLU(), LayerNormalization(),
                                               BatchNormalization(), Rescaling(2.0), UnitNormalization(),
                                               GroupNormalization({.groups = 1}), TimeDistributed(Dense(2))}) {
    EXPECT_EQ(layer(embedded).mask().to_vector(), counts) << layer.class_name();
    EXPECT_EQ(layer(embedded, {.training = true}).mask().to_vector(), counts) << layer.class_name();
  }
}

TEST_F(MasksTest, AreDroppedWithOneWarningByOthers) {
  Warnings warnings;
  const Layer flatten = Flatten({.name = "flat"});
  EXPECT_FALSE(flatten(embedded).has_mask());
  EXPECT_FALSE(flatten(embedded).has_mask());
  EXPECT_THAT(warnings.list, ElementsAre(HasSubstr("Layer 'flat' (of type Flatten) was passed an input with a mask")));
}

TEST_F(MasksTest, WithoutMasksNothingIsSaid) {
  const Warnings warnings;
  Flatten()(Tensor::zeros({2, 4, 3}));
  EXPECT_THAT(warnings.list, IsEmpty());
}

TEST_F(MasksTest, AreJoinedByMergingLayers) {
  const Tensor other = Tensor::full({2, 4, 3}, 2.0).with_mask(bools({2, 4}, {0, 1, 1, 0, 0, 0, 0, 0}));
  const Values either = {1, 1, 1, 0, 1, 0, 1, 0};
  for (const Layer& layer : std::vector<Layer>{Add(), Subtract(), Multiply(), Average(), Maximum(), Minimum()}) {
    EXPECT_EQ(layer({embedded, other}).mask().to_vector(), either) << layer.class_name();
    EXPECT_FALSE(layer({embedded, other.with_mask({})}).has_mask()) << layer.class_name();
  }
  EXPECT_EQ(Concatenate({.axis = 2})({embedded, other}).mask().to_vector(), either);
  EXPECT_EQ(Concatenate({.axis = 1})({embedded, other}).mask().to_vector(),
            (Values{1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Concatenate({.axis = 2})({embedded, other.with_mask({})}).mask().to_vector(), Values(8, 1.0));
}

// Values of Keras 3.15.
TEST_F(MasksTest, DecideWhatProductsAndExtremesTake) {
  const Tensor a = Tensor::from_data<float>({1, 4, 1}, {2, 3, 4, 5}).with_mask(bools({1, 4}, {1, 1, 0, 0}));
  const Tensor b = Tensor::from_data<float>({1, 4, 1}, {7, 1, 6, 9}).with_mask(bools({1, 4}, {1, 0, 1, 0}));
  EXPECT_EQ(Multiply()({a, b}).to_vector(), (Values{14, 3, 6, 0}));
  EXPECT_EQ(Multiply()({a, b.with_mask({})}).to_vector(), (Values{14, 3, 6, 9}));
  EXPECT_EQ(Maximum()({a, b}).to_vector(), (Values{7, 3, 6, 5}));
  EXPECT_EQ(Minimum()({a, b}).to_vector(), (Values{2, 3, 6, 5}));
}

TEST_F(MasksTest, ExcludeStepsFromAMean) {
  const Tensor x = Tensor::from_data<float>({2, 4, 1}, {1, 3, 100, 100, 5, 100, 7, 100});
  const Tensor mask = bools({2, 4}, {1, 1, 0, 0, 1, 0, 1, 0});
  EXPECT_EQ(GlobalAveragePooling1D()(x.with_mask(mask)).to_vector(), (Values{2, 6}));
  EXPECT_EQ(GlobalAveragePooling1D()(x, {.mask = mask}).to_vector(), (Values{2, 6}));
  // An argument counts, not the mask of the input.
  const Tensor everything = bools({2, 4}, std::vector<int>(8, 1));
  EXPECT_EQ(GlobalAveragePooling1D()(x.with_mask(everything), {.mask = mask}).to_vector(), (Values{2, 6}));
  EXPECT_FALSE(GlobalAveragePooling1D()(x.with_mask(mask)).has_mask());
}

TEST_F(MasksTest, ExcludeStepsFromSoftmax) {
  const Tensor x = Tensor::zeros({2, 4});
  const Tensor mask = bools({2, 4}, {1, 1, 0, 0, 0, 0, 0, 0});
  const Tensor y = Softmax()(x, {.mask = mask});
  EXPECT_EQ(y.to_vector(), (Values{0.5, 0.5, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(y.mask().to_vector(), mask.to_vector());
  EXPECT_THROW(Softmax()(x, {.mask = Tensor::zeros({2, 4, 1})}), ValueError);
  EXPECT_THROW(Softmax()(x, {.mask = Tensor::zeros({2, 3})}), ValueError);
}

TEST_F(MasksTest, ExcludeStepsFromTheStatisticsOfABatch) {
  const Layer normalization = BatchNormalization({.momentum = 0.0});
  const Tensor x = Tensor::from_data<float>({2, 2, 1}, {1, 3, 100, 5});
  normalization(x.with_mask(bools({2, 2}, {1, 1, 0, 1})), {.training = true});
  const std::vector<Tensor> weights = normalization.get_weights();
  EXPECT_NEAR(weights[2].item(), 3.0, 1e-5);
  EXPECT_NEAR(weights[3].item(), 8.0 / 3.0, 1e-5);
  EXPECT_THAT(test::message_of<ValueError>([&] {
                normalization(x, {.mask = Tensor::zeros({2, 2, 1})});
              }),
              HasSubstr("The mask provided should be one dimension less than the inputs."));
}

TEST_F(MasksTest, OfStepsReachTheLayerOfATimeDistributed) {
  const Tensor x = Tensor::from_data<float>({1, 2, 3, 1}, {1, 3, 100, 4, 100, 100});
  const Layer mean = TimeDistributed(GlobalAveragePooling1D());
  EXPECT_EQ(mean(x, {.mask = bools({1, 2, 3}, {1, 1, 0, 1, 0, 0})}).to_vector(), (Values{2, 4}));
  EXPECT_EQ(mean(x.with_mask(bools({1, 2, 3}, {1, 1, 0, 1, 0, 0}))).to_vector(), (Values{2, 4}));
  EXPECT_THAT(
      test::message_of<ValueError>([&] {
        mean(x, {.mask = bools({1, 3}, {1, 1, 1})});
      }),
      HasSubstr("The `mask` passed to the `TimeDistributed` layer has a shape (1, 3) that is incompatible with"));
  EXPECT_THAT(test::message_of<ValueError>([&] { mean(x, {.mask = bools({1}, {1})}); }),
              HasSubstr("must be at least 2D"));
}

TEST_F(MasksTest, EndWithAProductOfSteps) { EXPECT_FALSE(Dot(Axes(2))({embedded, embedded}).has_mask()); }

/// A layer that keeps every other step, and its mask.
class EveryOther final : public LayerImpl {
 public:
  EveryOther() : LayerImpl(LayerOptions{}) {}
  std::string class_name() const override { return "EveryOther"; }
  bool supports_masking() const override { return true; }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>&, const std::vector<Tensor>& masks) const override {
    return {masks[0].is_empty() ? Tensor() : masks[0][{Slice(), Slice({}, {}, 2)}]};
  }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {inputs[0][{Slice(), Slice({}, {}, 2)}]};
  }
};

TEST_F(MasksTest, AreComputedByCustomLayers) {
  EXPECT_EQ(make_layer<EveryOther>()(embedded).mask().to_vector(), (Values{1, 0, 1, 1}));
  const SymbolicTensor x = Input({.shape = {4}, .dtype = "int32"});
  const SymbolicTensor halved = make_layer<EveryOther>()(embedding(x));
  EXPECT_FALSE(halved.has_mask());  // known when the model runs
  const models::Model model({.inputs = x, .outputs = GlobalAveragePooling1D()(halved)});
  const Values expected = GlobalAveragePooling1D()(make_layer<EveryOther>()(embedded)).to_vector();
  EXPECT_EQ(model(ids).to_vector(), expected);
  EXPECT_EQ(model.predict(ids, {.verbose = 0}).to_vector(), expected);
}

TEST_F(MasksTest, ArePartOfAModelWhereALayerTakesThem) {
  const SymbolicTensor x = Input({.shape = {4}, .dtype = "int32", .name = "x"});
  const SymbolicTensor e = embedding(x);
  ASSERT_TRUE(e.has_mask());
  EXPECT_EQ(e.mask().dtype(), DType::bool_);
  EXPECT_EQ(e.mask().shape(), (Shape{-1, 4}));
  const SymbolicTensor hidden = Dense(2)(e);
  EXPECT_TRUE(hidden.mask().is_same(e.mask()));
  const models::Model model({.inputs = x, .outputs = GlobalAveragePooling1D({.name = "mean"})(hidden)});
  std::vector<std::string> classes;
  for (const Layer& layer : model.layers()) classes.push_back(layer.class_name());
  EXPECT_THAT(classes, ElementsAre("InputLayer", "Embedding", "Dense", "NotEqual", "GlobalAveragePooling1D"));
  const Tensor expected = model(ids);
  const models::Model again = models::model_from_json(model.to_json());
  again.set_weights(model.get_weights());
  EXPECT_EQ(again(ids).to_vector(), expected.to_vector());
  EXPECT_EQ(again.to_json(), model.to_json());
}

TEST_F(MasksTest, LeaveAModelWithItsOutput) {
  const models::Sequential model(
      {Input({.shape = {4}, .dtype = "int32"}), Embedding(4, 3, {.mask_zero = true}), Dense(2)});
  EXPECT_EQ(model(ids).mask().to_vector(), counts);
  // A nested model hands its input's mask to its layers.
  const models::Sequential inner({Input({.shape = {4, 3}}), GlobalAveragePooling1D()});
  EXPECT_EQ(inner(embedded).to_vector(), GlobalAveragePooling1D()(embedded).to_vector());
}

// An op that has nothing to do, or that overwrites its input, drops the mask like any other.
TEST_F(MasksTest, DoNotSurviveOps) {
  EXPECT_FALSE((embedding(ids) * 2.0).has_mask());
  EXPECT_FALSE((embedding(ids) + embedding(ids)).has_mask());
  EXPECT_FALSE(embedded.reshape({2, 4, 3}).has_mask());
  EXPECT_FALSE(embedded.transpose({0, 1, 2}).has_mask());
  EXPECT_FALSE(embedded.slice(0, 2).has_mask());
  EXPECT_FALSE((embedded[{Slice(), ellipsis}]).has_mask());
  EXPECT_FALSE(Reshape(Shape{4, 3})(embedded).has_mask());
  EXPECT_FALSE(Flatten()(Masking()(Tensor::full({2, 3}, 1.0)).with_mask(bools({2}, {1, 0}))).has_mask());
}

/// A layer that is another one, as a model is its layers.
class Same final : public LayerImpl {
 public:
  Same() : LayerImpl(LayerOptions{}) {}
  std::string class_name() const override { return "Same"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {inner_(inputs[0])}; }

 private:
  Layer inner_ = track("inner", Dropout(0.5));
};

TEST_F(MasksTest, PassThroughModelsWhetherOrNotTheyChangeTheirInput) {
  for (const Layer& layer : std::vector<Layer>{models::Sequential({Input({.shape = {4, 3}}), Dropout(0.5)}),
                                               models::Sequential({Dropout(0.5)}), make_layer<Same>()}) {
    EXPECT_EQ(layer(embedded).mask().to_vector(), counts) << layer.class_name();
    EXPECT_EQ(layer(embedded, {.training = true}).mask().to_vector(), counts) << layer.class_name();
  }
}

TEST_F(MasksTest, OfOperationsAreDroppedWithoutAWarning) {
  const Warnings warnings;
  const SymbolicTensor x = Input({.shape = {4}, .dtype = "int32"});
  const models::Model model({.inputs = x, .outputs = embedding(x) * 2.0});
  EXPECT_FALSE(model(ids).has_mask());
  EXPECT_THAT(warnings.list, IsEmpty());
}

// Keras's figures: the mask of a loss counts as truth values, whatever its dtype.
TEST_F(MasksTest, OfOtherDtypesAreTruthValuesInMeans) {
  const Tensor y = Tensor::from_data<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const Tensor zeros = Tensor::zeros({2, 3, 1});
  const losses::Loss mse("mse");
  const Tensor halves = Tensor::from_data<float>({2, 3}, {0.5, 1, 0, 0, 0, 1});
  EXPECT_NEAR(mse(zeros, y.with_mask(halves)).item(), 16.4, 1e-4);
  const Tensor integers = Tensor::from_data<std::int32_t>({2, 3}, {2, 1, 0, 0, 0, 1});
  EXPECT_NEAR(mse(zeros, y.with_mask(integers)).item(), 10.25, 1e-4);
  const Tensor mask = bools({2, 3}, {1, 1, 0, 0, 0, 1});
  EXPECT_NEAR(mse(zeros, y.with_mask(mask)).item(), 13.66667, 1e-4);
}

TEST_F(MasksTest, SurviveACastOfTheInputs) {
  EXPECT_EQ(Dense(2, {.dtype = "mixed_bfloat16"})(embedded).mask().to_vector(), counts);
}

}  // namespace
}  // namespace rhyton::layers
