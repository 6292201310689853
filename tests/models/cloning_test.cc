// Models cloned layer by layer: what a clone shares with its model, what the functions are called for, and the
// messages.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/core/lambda.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/rnn/lstm.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/cloning.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::models {
namespace {

using io::Json;
using layers::Argument;
using layers::Dense;
using layers::Input;
using layers::Layer;
using layers::SymbolicTensor;
using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> layer_names(const std::vector<Layer>& layers) {
  std::vector<std::string> names;
  for (const Layer& layer : layers) names.push_back(layer.name());
  return names;
}

/// Three samples for each input.
std::vector<Tensor> samples_for(const Model& model) {
  std::vector<Tensor> samples;
  for (const SymbolicTensor& input : model.inputs()) {
    const Tensor drawn = test::random_tensor(input.shape().with(0, 3), 7);
    samples.push_back(is_floating(input.dtype()) ? drawn : cast(abs(drawn) * 4.0, input.dtype()));
  }
  return samples;
}

/// The clone has the architecture of the model and, with its weights, its outputs.
void expect_clone(const Model& clone, const Model& model) {
  EXPECT_FALSE(clone.is_same(model));
  EXPECT_EQ(clone.to_json(), model.to_json());
  clone.set_weights(model.get_weights());
  const std::vector<Tensor> inputs = samples_for(model);
  const std::vector<Tensor> expected = model.predict_on_batch(inputs);
  const std::vector<Tensor> outputs = clone.predict_on_batch(inputs);
  ASSERT_EQ(outputs.size(), expected.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(outputs[i].to_vector(), expected[i].to_vector());
  }
}

/// Two inputs, a layer that is called twice, an operation with constants, a residual, and two outputs.
Model branched_model(bool with_names) {
  const Input a({.shape = {4}, .name = "a"});
  const Input b({.shape = {4}, .name = "b"});
  const Dense shared(4, {.activation = "tanh", .name = "shared"});
  const SymbolicTensor left = shared(shared(a));
  const SymbolicTensor right = shared(b) * 2.0 + left;
  const SymbolicTensor sum = layers::Add({.name = "sum"})({left, right});
  const SymbolicTensor score = Dense(1, {.name = "score"})(sum);
  if (!with_names) return Model({.inputs = {a, b}, .outputs = {score, sum}, .name = "branched"});
  return Model({.inputs = {{"a", a}, {"b", b}}, .outputs = {{"score", score}, {"sum", sum}}, .name = "branched"});
}

Sequential small_sequential(const std::string& name) {
  return Sequential({Input({.shape = {4}, .name = name + "_input"}), Dense(3, {.name = name + "_dense"}),
                     layers::BatchNormalization({.name = name + "_norm"})},
                    {.name = name});
}

/// Calls a Sequential and a functional model.
Model nesting_model() {
  const Input inner_input({.shape = {3}, .name = "inner_input"});
  const Model inner(
      {.inputs = inner_input, .outputs = Dense(2, {.name = "inner_dense"})(inner_input), .name = "inner"});
  const Input x({.shape = {4}, .name = "x"});
  return Model({.inputs = x, .outputs = inner(small_sequential("first")(x)), .name = "nesting"});
}

TEST(CloneModel, HasNewLayersOfTheSameNamesWithNewWeights) {
  const Model model = branched_model(false);
  const Model clone = clone_model(model);
  EXPECT_EQ(layer_names(clone.layers()), layer_names(model.layers()));
  for (const Layer& layer : clone.layers()) EXPECT_FALSE(layer.is_same(model.get_layer(layer.name())));
  EXPECT_NE(clone.get_layer("score").get_weights()[0].to_vector(),
            model.get_layer("score").get_weights()[0].to_vector());
  expect_clone(clone, model);
}

TEST(CloneModel, KeepsDictionariesOfInputsAndOutputs) {
  const Model model = branched_model(true);
  const Model clone = clone_model(model);
  EXPECT_THAT(clone.input_names(), ElementsAre("a", "b"));
  EXPECT_THAT(clone.output_names(), ElementsAre("score", "sum"));
  expect_clone(clone, model);
}

TEST(CloneModel, KeepsNestedStructures) {
  const Input a({.shape = {2}, .name = "a"});
  const Input b({.shape = {2}, .name = "b"});
  const SymbolicTensor sum = layers::Add({.name = "sum"})({a, b});
  const Model model({.inputs = SymbolicTensors::nested({a, Argument::List{b}}),
                     .outputs = SymbolicTensors::nested({Argument::List{sum}, Dense(1)(sum)})});
  expect_clone(clone_model(model), model);
}

TEST(CloneModel, KeepsASharedLayerShared) {
  const Model clone = clone_model(branched_model(false));
  // The kernel and bias of the layer that is called three times, and those of the output.
  EXPECT_EQ(clone.weights().size(), 4U);
}

TEST(CloneModel, KeepsMasksAndArgumentsOfCalls) {
  const Input words({.shape = {5}, .dtype = "int32", .name = "words"});
  const SymbolicTensor vectors = layers::Embedding(9, 3, {.mask_zero = true, .name = "vectors"})(words);
  const SymbolicTensor states = layers::LSTM(4, {.return_sequences = true, .name = "states"})(vectors);
  const SymbolicTensor last = layers::LSTM(4, {.name = "last"})(
      states, {.kwargs = {{"initial_state", {states[{Slice(), 0}], states[{Slice(), 1}]}}}});
  const SymbolicTensor dropped = layers::Dropout(0.5, {.name = "dropped"})(last, {.training = false});
  const Model model({.inputs = words, .outputs = dropped});
  expect_clone(clone_model(model), model);
}

TEST(CloneModel, KeepsWhatIsFrozenAndPolicies) {
  const Input x({.shape = {4}, .name = "x"});
  const Dense frozen(3, {.name = "frozen", .trainable = false});
  const Dense half(2, {.name = "half", .dtype = "mixed_bfloat16"});
  const Model clone = clone_model(Model({.inputs = x, .outputs = half(frozen(x))}));
  EXPECT_FALSE(clone.get_layer("frozen").trainable());
  EXPECT_EQ(clone.trainable_weights().size(), 2U);
  EXPECT_EQ(clone.get_layer("half").impl()->dtype_policy(), "mixed_bfloat16");
}

TEST(CloneModel, IsTrainableIfAFunctionalModelIsNot) {
  const Model model = branched_model(false);
  model.set_trainable(false);
  const Model clone = clone_model(model);
  EXPECT_TRUE(clone.trainable());
  EXPECT_FALSE(clone.get_layer("shared").trainable());
}

TEST(CloneModel, HasTheTrainabilityOfASequential) {
  const Sequential model = small_sequential("stack");
  model.set_trainable(false);
  model.layers()[0].set_trainable(true);
  const Model clone = clone_model(model);
  EXPECT_FALSE(clone.trainable());
  EXPECT_TRUE(clone.layers()[0].trainable());
  EXPECT_FALSE(clone.layers()[1].trainable());
}

TEST(CloneModel, IsCompiledIfTheModelIs) {
  const Input x({.shape = {4}, .name = "x"});
  const Model functional({.inputs = x, .outputs = Dense(3, {.name = "y"})(x)});
  for (const Model& model : {functional, Model(small_sequential("stack"))}) {
    EXPECT_FALSE(clone_model(model).is_compiled());
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.25, .momentum = 0.5}),
                   .loss = "mse",
                   .metrics = {"mae"},
                   .steps_per_execution = 2});
    const Model clone = clone_model(model);
    ASSERT_TRUE(clone.is_compiled());
    EXPECT_EQ(clone.to_json(), model.to_json());
    EXPECT_EQ(clone.compile_options().steps_per_execution, 2);
    // Built, unlike the model's, which has taken no step.
    EXPECT_GT(clone.optimizer().variables().size(), model.optimizer().variables().size());
  }
}

TEST(CloneModel, HasALambdaOfTheSameFunction) {
  const Input x({.shape = {4}, .name = "x"});
  const layers::Lambda square_of([](const Tensor& input) { return square(input); }, {.name = "square_of"});
  const Model model({.inputs = x, .outputs = square_of(x)});
  const Model clone = clone_model(model);
  EXPECT_FALSE(clone.get_layer("square_of").is_same(square_of));
  const std::vector<Tensor> inputs = samples_for(model);
  EXPECT_EQ(clone.predict_on_batch(inputs)[0].to_vector(), square(inputs[0]).to_vector());
}

class ClonedScaleImpl final : public layers::LayerImpl {
 public:
  explicit ClonedScaleImpl(const layers::LayerOptions& options) : LayerImpl(options) {}
  std::string class_name() const override { return "ClonedScale"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {inputs[0] * 3.0}; }
};

TEST(CloneModel, HasLayersOfOwnClassesOnceTheyAreRegistered) {
  const Input x({.shape = {4}, .name = "x"});
  const Layer scale = layers::make_layer<ClonedScaleImpl>(layers::LayerOptions{.name = "scale"});
  const Model model({.inputs = x, .outputs = scale(x)});
  EXPECT_THAT(message_of<ValueError>([&] { clone_model(model); }),
              HasSubstr("Could not locate class 'ClonedScale' of layer 'scale'."));
  layers::register_keras_serializable("cloning", "ClonedScale", [](const Json& config) {
    return layers::make_layer<ClonedScaleImpl>(layers::LayerOptions{.name = config["name"].as_string()});
  });
  expect_clone(clone_model(model), model);
}

TEST(CloneModel, IsBuiltIfASequentialIs) {
  const Sequential model = small_sequential("stack");
  expect_clone(clone_model(model), model);
  EXPECT_EQ(clone_model(model).input_names(), model.input_names());
  const Sequential without_input({Dense(3), Dense(2)});
  EXPECT_FALSE(clone_model(without_input).is_built());
  without_input.build({-1, 4});
  expect_clone(clone_model(without_input), without_input);
  EXPECT_TRUE(clone_model(Sequential()).layers().empty());
}

TEST(CloneModel, OfASequentialIsBuiltOnATensor) {
  const Sequential model({Dense(3), Dense(2)});
  const Model clone = clone_model(model, {.input_tensors = Input({.shape = {6}})});
  EXPECT_EQ(clone.inputs()[0].shape(), Shape({-1, 6}));
  EXPECT_EQ(clone.outputs()[0].shape(), Shape({-1, 2}));
  EXPECT_FALSE(model.is_built());
}

TEST(CloneModel, OfAFunctionalModelIsBuiltOnTensors) {
  const Input left({.shape = {4}, .name = "left"});
  const Input right({.shape = {4}, .name = "right"});
  const Model clone = clone_model(branched_model(false), {.input_tensors = {left, right}});
  EXPECT_THAT(clone.input_names(), ElementsAre("left", "right"));
  EXPECT_TRUE(clone.inputs()[0].is_same(left));
  const Model of_map = clone_model(branched_model(true), {.input_tensors = {{"a", left}, {"b", right}}});
  EXPECT_THAT(of_map.input_names(), ElementsAre("a", "b"));
  EXPECT_TRUE(of_map.inputs()[1].is_same(right));
}

TEST(CloneModel, CallsItsFunctionOnceForEachLayerAndOperationButNotForInputs) {
  std::vector<std::string> seen;
  const auto clone_function = [&](const Layer& layer) {
    seen.push_back(layer.class_name());
    return clone_layer(layer);
  };
  clone_model(branched_model(false), {.clone_function = clone_function});
  EXPECT_THAT(seen, ElementsAre("Dense", "Multiply", "Add", "Add", "Dense"));
  seen.clear();
  clone_model(small_sequential("stack"), {.clone_function = clone_function});
  EXPECT_THAT(seen, ElementsAre("Dense", "BatchNormalization"));
}

TEST(CloneModel, HasWhatItsFunctionReturns) {
  const auto with_more_units = [](const Layer& layer) {
    if (layer.name() != "score") return layer;
    Json config = layer.get_config();
    config["units"] = 5;
    return layer_from_config(layer, config);
  };
  const Model model = branched_model(false);
  const Model clone = clone_model(model, {.clone_function = with_more_units});
  EXPECT_TRUE(clone.get_layer("shared").is_same(model.get_layer("shared")));
  EXPECT_EQ(clone.outputs()[0].shape(), Shape({-1, 5}));
}

TEST(CloneModel, MakesItsCallsWithTheFunctionForThem) {
  const Input x({.shape = {4}, .name = "x"});
  const SymbolicTensor y = Dense(3, {.name = "hidden"})(x);
  const Model model({.inputs = x, .outputs = layers::Dropout(0.5, {.name = "drop"})(y, {.training = true})});
  using Call = std::pair<std::string, std::optional<bool>>;
  std::vector<Call> calls;
  const auto call_function = [&](const Layer& layer, const ClonedCall& call) {
    calls.emplace_back(layer.name(), call.training);
    std::vector<SymbolicTensor> outputs = call(layer);
    if (layer.class_name() == "Dense") outputs = {Dense(3, {.name = "inserted"})(outputs.front())};
    return outputs;
  };
  const Model clone =
      clone_model(model, {.clone_function = [](const Layer& layer) { return layer; }, .call_function = call_function});
  EXPECT_THAT(calls, ElementsAre(Call("hidden", std::nullopt), Call("drop", true)));
  EXPECT_THAT(layer_names(clone.layers()), ElementsAre("x", "hidden", "inserted", "drop"));
  EXPECT_TRUE(clone.get_layer("hidden").is_same(model.get_layer("hidden")));
}

TEST(CloneModel, ClonesNestedModelsAsLayersOrLayerByLayer) {
  const Model model = nesting_model();
  std::vector<std::string> seen;
  std::vector<std::string> called;
  const auto clone_function = [&](const Layer& layer) {
    seen.push_back(layer.name());
    return clone_layer(layer);
  };
  const auto call_function = [&](const Layer& layer, const ClonedCall& call) {
    called.push_back(layer.name());
    return call(layer);
  };
  expect_clone(clone_model(model, {.clone_function = clone_function, .call_function = call_function}), model);
  EXPECT_THAT(seen, ElementsAre("first", "inner"));
  EXPECT_THAT(called, ElementsAre("first", "inner"));
  seen.clear();
  called.clear();
  const Model clone =
      clone_model(model, {.clone_function = clone_function, .call_function = call_function, .recursive = true});
  EXPECT_THAT(seen, ElementsAre("first_dense", "first_norm", "inner_dense"));
  // A Sequential does not call its layers through the function.
  EXPECT_THAT(called, ElementsAre("first", "inner_dense", "inner"));
  expect_clone(clone, model);
}

TEST(CloneModel, CompilesNestedModelsOnlyIfItClonesThemLayerByLayer) {
  const Model model = nesting_model();
  Model::from_layer(model.get_layer("inner")).compile({.optimizer = "sgd", .loss = "mse"});
  const auto inner_of = [&](bool recursive) {
    return Model::from_layer(clone_model(model, {.recursive = recursive}).get_layer("inner"));
  };
  EXPECT_FALSE(inner_of(false).is_compiled());
  EXPECT_TRUE(inner_of(true).is_compiled());
}

TEST(CloneModel, SharesLayersBetweenNestedModelsOnlyIfItClonesThemLayerByLayer) {
  const Dense shared(4, {.name = "shared"});
  const Input x({.shape = {4}, .name = "x"});
  const Sequential first({Input({.shape = {4}}), shared}, {.name = "first"});
  const Sequential second({Input({.shape = {4}}), shared}, {.name = "second"});
  const Model model({.inputs = x, .outputs = second(first(x))});
  EXPECT_EQ(clone_model(model, {.recursive = true}).weights().size(), 2U);
  EXPECT_EQ(clone_model(model).weights().size(), 4U);
}

TEST(CloneModel, RefusesTensorsThatAreNotTheInputs) {
  const Input x({.shape = {4}});
  const Model list = branched_model(false);
  EXPECT_EQ(message_of<ValueError>([&] { clone_model(list, {.input_tensors = x}); }),
            "`input_tensors` must have the same structure as model.input\n"
            "Reference structure: [<KerasTensor shape=(None, 4), dtype=float32>, <KerasTensor shape=(None, 4), "
            "dtype=float32>]\n"
            "Received structure: <KerasTensor shape=(None, 4), dtype=float32>");
  EXPECT_THAT(message_of<ValueError>([&] {
                clone_model(branched_model(true), {.input_tensors = {{"a", x}, {"c", x}}});
              }),
              HasSubstr("`input_tensors` must have the same structure as model.input"));
  EXPECT_THAT(
      message_of<ValueError>([&] {
        clone_model(list, {.input_tensors = {x, SymbolicTensor()}});
      }),
      HasSubstr("All entries in `input_tensors` must be KerasTensors. Received invalid values: inputs_tensors="));
  const Sequential stack = small_sequential("stack");
  EXPECT_EQ(message_of<ValueError>([&] {
              clone_model(stack, {.input_tensors = {x, x}});
            }),
            "Argument `input_tensors` must contain a single tensor.");
  EXPECT_THAT(
      message_of<ValueError>([&] {
        clone_model(stack, {.input_tensors = {{"a", x}}});
      }),
      HasSubstr("Argument `input_tensors` must be a KerasTensor. Received invalid value: input_tensors={'a': "));
}

TEST(CloneModel, RefusesFunctionsThatDoNotFit) {
  const auto call_function = [](const Layer& layer, const ClonedCall& call) { return call(layer); };
  EXPECT_THAT(message_of<ValueError>([&] { clone_model(small_sequential("stack"), {.call_function = call_function}); }),
              HasSubstr("`call_function` argument is not supported with Sequential models.  In a Sequential model, "
                        "layers aren't called at model-construction time (they're merely listed). Use `call_function` "
                        "with Functional models only. Received model of type 'Sequential'"));
  const Model model = branched_model(false);
  EXPECT_EQ(message_of<ValueError>([&] {
              clone_model(model, {.call_function = [](const Layer&, const ClonedCall&) {
                            return std::vector<SymbolicTensor>();
                          }});
            }),
            "Output with path `0` is not connected to `inputs`");
  EXPECT_EQ(
      message_of<TypeError>([&] { clone_model(model, {.clone_function = [](const Layer&) { return Layer(); }}); }),
      "`clone_function` returned an empty layer for the layer 'shared'.");
  EXPECT_EQ(message_of<RuntimeError>([] { clone_model(Model()); }),
            "An empty model handle was used: it holds no model.");
}

}  // namespace
}  // namespace rhyton::models
