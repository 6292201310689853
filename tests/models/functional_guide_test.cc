// The examples of docs/functional_models.md.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/rhyton.h>

namespace rhyton::models {
namespace {

using layers::BoundArguments;
using layers::Dense;
using layers::Dropout;
using layers::Embedding;
using layers::GlobalAveragePooling1D;
using layers::Input;
using layers::Layer;
using layers::LayerImpl;
using layers::LayerOptions;
using layers::make_layer;
using layers::SymbolicTensor;

TEST(FunctionalGuide, Operations) {
  const SymbolicTensor x = Input({.shape = {6, 4}});
  const SymbolicTensor centred = x - mean(x, {1}, true);
  const SymbolicTensor last = centred[{Slice(), -1}];
  const SymbolicTensor odd = centred[{Slice(), Slice(1, {}, 2)}];
  const SymbolicTensor scores = softmax(matmul(odd, transpose(odd, {0, 2, 1})) / 2.0);
  const Model model({.inputs = x, .outputs = Dense(1)(last + sum(matmul(scores, odd), {1}))});
  EXPECT_EQ(centred.shape(), (Shape{-1, 6, 4}));
  EXPECT_EQ(last.shape(), (Shape{-1, 4}));
  EXPECT_EQ(odd.shape(), (Shape{-1, 3, 4}));
  EXPECT_EQ(model.outputs()[0].shape(), (Shape{-1, 1}));

  // The same functions on values.
  const Tensor values = random::normal({2, 6, 4});
  const Tensor middle = values - mean(values, {1}, true);
  const Tensor odd_values = middle[{Slice(), Slice(1, {}, 2)}];
  const Tensor weights = softmax(matmul(odd_values, transpose(odd_values, {0, 2, 1})) / 2.0);
  const Tensor expected = model.layers().back()(middle[{Slice(), -1}] + sum(matmul(weights, odd_values), {1}));
  EXPECT_EQ(model(values).to_vector(), expected.to_vector());
}

TEST(FunctionalGuide, WindowsAndImages) {
  const Tensor kernel = random::normal({3, 3, 1, 5});
  const SymbolicTensor image = Input({.shape = {32, 32, 3}});
  const SymbolicTensor grey = ops::image::rgb_to_grayscale(ops::image::resize(image, {16, 24}));
  const SymbolicTensor edges = conv(grey, kernel, {.strides = {2, 1}, .padding = "same"});
  const SymbolicTensor pooled = max_pool(edges, 2);
  EXPECT_EQ(pooled.shape(), (Shape{-1, 4, 12, 5}));

  const Tensor values = random::normal({2, 32, 32, 3});
  const Tensor grey_values = ops::image::rgb_to_grayscale(ops::image::resize(values, {16, 24}));
  const Tensor expected = max_pool(conv(grey_values, kernel, {.strides = {2, 1}, .padding = "same"}), 2);
  EXPECT_EQ(Model({.inputs = image, .outputs = pooled})(values).to_vector(), expected.to_vector());
}

// Lengths that are not known when a model is made may be divided, cut and compared.
TEST(FunctionalGuide, UnknownLengths) {
  const SymbolicTensor x = Input({.shape = {-1, 3}});
  EXPECT_EQ(ops::split(x, 2, 1).at(0).shape(), (Shape{-1, -1, 3}));
  EXPECT_EQ(ops::split(x, {250}, 1).at(0).shape(), (Shape{-1, 250, 3}));
  EXPECT_EQ(layers::Reshape(Shape{-1, 6})(x).shape(), (Shape{-1, -1, 6}));
  const SymbolicTensor known = Input({.shape = {10, 3}});
  EXPECT_EQ(layers::Add()({x, known}).shape(), (Shape{-1, 10, 3}));
  EXPECT_EQ(ops::norm(x, {}, {2}).shape(), (Shape{-1, -1}));
  const Tensor values = Tensor::full({1, 1, 3}, 2.0);
  EXPECT_NEAR(Model({.inputs = x, .outputs = ops::norm(x, {}, {2})})(values).item(), 3.4641, 1e-4);
}

class Gate final : public LayerImpl {
 public:
  Gate() : LayerImpl(LayerOptions{}) {}
  std::string class_name() const override { return "Gate"; }
  std::vector<std::string> call_parameters() const override { return {"x", "gate", "scale"}; }
  std::vector<Tensor> call_with(const BoundArguments& arguments, bool) override {
    const Tensor gate = sigmoid(arguments.tensor("gate"));
    return {arguments.tensor("x") * gate * arguments.number("scale", 1.0)};
  }
};

TEST(FunctionalGuide, ArgumentsOfCalls) {
  const SymbolicTensor a = Input({.shape = {3}});
  const SymbolicTensor b = Input({.shape = {3}});
  const Layer gate = make_layer<Gate>();
  const SymbolicTensor y = gate(a, {.args = {b}, .kwargs = {{"scale", 0.5}}});
  const Model model({.inputs = {a, b}, .outputs = y});
  const Tensor ones = Tensor::full({1, 3}, 1.0);
  EXPECT_EQ(model({ones * 8, ones * 0}).to_vector(), (std::vector<double>{2, 2, 2}));
  EXPECT_THROW(gate(a, {.kwargs = {{"size", 1}}}), TypeError);
}

TEST(FunctionalGuide, Masks) {
  const SymbolicTensor words = Input({.shape = {-1}, .dtype = "int32"});
  const Layer embedding = Embedding(1000, 16, {.mask_zero = true});
  const SymbolicTensor vectors = embedding(words);
  const SymbolicTensor meaning = GlobalAveragePooling1D()(Dense(16)(vectors));
  const Model model({.inputs = words, .outputs = meaning});
  const Tensor short_text = Tensor::from_data<std::int32_t>({1, 2}, {5, 9});
  const Tensor padded = Tensor::from_data<std::int32_t>({1, 4}, {5, 9, 0, 0});
  const std::vector<double> expected = model(short_text).to_vector();
  const std::vector<double> same = model(padded).to_vector();
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(same[i], expected[i], 1e-6);
  EXPECT_EQ(embedding(padded).mask().to_vector(), (std::vector<double>{1, 1, 0, 0}));
}

TEST(FunctionalGuide, InnerActivations) {
  const SymbolicTensor x = Input({.shape = {6}});
  const Model model({.inputs = x, .outputs = Dense(2)(Dense(4, {.name = "features"})(x))});
  const Tensor images = random::normal({3, 6});
  const Model features({.inputs = model.inputs(), .outputs = model.get_layer("features").output()});
  const Tensor activations = features(images);
  EXPECT_EQ(activations.shape(), (Shape{3, 4}));
  EXPECT_EQ(model.layers().back()(activations).to_vector(), model(images).to_vector());
}

TEST(FunctionalGuide, Clones) {
  const SymbolicTensor x = Input({.shape = {6}});
  const Model model({.inputs = x, .outputs = Dense(2)(Dense(4)(x))});
  const Model with_dropout = clone_model(
      model, {.clone_function = [](const Layer& layer) { return layer; },
              .call_function =
                  [](const Layer& layer, const ClonedCall& call) {
                    const std::vector<SymbolicTensor> outputs = call(layer);
                    return layer.class_name() == "Dense" ? std::vector{Dropout(0.5)(outputs.front())} : outputs;
                  }});
  EXPECT_EQ(with_dropout.layers().size(), 5U);
  const Tensor values = random::normal({3, 6});
  EXPECT_EQ(with_dropout(values).to_vector(), model(values).to_vector());
}

TEST(FunctionalGuide, Structures) {
  const SymbolicTensor left = Input({.shape = {1}});
  const SymbolicTensor right = Input({.shape = {1}});
  const SymbolicTensor other = Input({.shape = {1}});
  const Model model({.inputs = SymbolicTensors::nested({left, {right, other}}), .outputs = left + right * other});
  const auto number = [](float value) { return Tensor::from_data<float>({1, 1}, {value}); };
  EXPECT_EQ(model({number(1), number(2), number(3)}).item(), 7);
  const Model again = model_from_json(model.to_json());
  EXPECT_EQ(again({number(1), number(2), number(3)}).item(), 7);
  EXPECT_EQ(again.to_json(), model.to_json());
  // Another structure has another order.
  const std::map<std::string, Tensor> by_name = {{"left", number(1)}, {"other", number(2)}, {"right", number(3)}};
  EXPECT_THROW(model.call_many(by_name), ValueError);
}

TEST(FunctionalGuide, SeveralOutputs) {
  const Input x({.shape = {6}});
  const Model model({.inputs = x,
                     .outputs = {{"score", Dense(1, {.name = "score"})(x)},
                                 {"kind", Dense(2, {.activation = "softmax", .name = "kind"})(x)}}});
  const Tensor images = random::normal({3, 6});
  const std::map<std::string, Tensor> targets = {{"score", random::normal({3, 1})}, {"kind", one_hot(arange(3), 2)}};
  model.compile({.loss = {{"score", "mse"}, {"kind", "categorical_crossentropy"}},
                 .loss_weights = {{"score", 1.0}, {"kind", 0.2}},
                 .metrics = {{"score", {"mae"}}, {"kind", {"accuracy"}}}});
  const callbacks::Logs by_name = model.evaluate(images, targets, {.verbose = 0});
  EXPECT_TRUE(by_name.contains("score_mae"));
  EXPECT_FALSE(by_name.contains("kind_mae"));
  // In the order of the outputs, which is that of their names.
  model.compile({.loss = {"categorical_crossentropy", "mse"},
                 .loss_weights = {0.2, 1.0},
                 .metrics = {{"accuracy", "mse"}, {"mae"}}});
  const callbacks::Logs by_order = model.evaluate(images, targets, {.verbose = 0});
  EXPECT_EQ(by_order.at("loss"), by_name.at("loss"));
  EXPECT_EQ(by_order.at("score_mae"), by_name.at("score_mae"));
  EXPECT_FALSE(by_order.contains("kind_mae"));
  EXPECT_TRUE(by_order.contains("kind_mse"));

  // Sorted by name, the score is the second output.
  const Tensor scores = targets.at("score");
  model.compile({.loss = {nullptr, "mse"}});
  const double loss = model.evaluate(images, {nullptr, scores}, {.verbose = 0}).at("loss");
  EXPECT_EQ(loss, model.evaluate(images, scores, {.verbose = 0}).at("loss"));
  EXPECT_EQ(loss, model.evaluate(images, {{"score", scores}}, {.verbose = 0}).at("loss"));
}

}  // namespace
}  // namespace rhyton::models
