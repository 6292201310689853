// Quantized layers and models: against Keras (tests/golden/make_quantization.py), and what training, files and compiled
// steps do.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/einsum_dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/core/quantizable_layer.h>
#include <rhyton/layers/core/reversible_embedding.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/policy_scope.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

using layers::Dense;
using layers::Layer;
using layers::LoraLayer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const test::GoldenArea& area() {
  static const test::GoldenArea golden("quantization");
  return golden;
}

std::vector<std::string> names_of_cases() {
  std::vector<std::string> names;
  for (const io::Json& golden : area().cases()) names.push_back(golden["name"].as_string());
  return names;
}

/// Collects warnings during its lifetime.
class WarningsScope {
 public:
  WarningsScope()
      : previous_(config::set_warning_handler([this](const std::string& text) { messages_.push_back(text); })) {}
  ~WarningsScope() { config::set_warning_handler(previous_); }
  WarningsScope(const WarningsScope&) = delete;
  WarningsScope& operator=(const WarningsScope&) = delete;

  const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::vector<std::string> messages_;
  config::WarningHandler previous_;
};

class QuantizedLayer : public ::testing::TestWithParam<std::string> {
 protected:
  const io::Json& golden() const { return area().find(GetParam()); }
  Tensor array(const std::string& role) const { return area().array(golden(), role); }
  bool is_half() const { return golden()["policy"].as_string() != "float32"; }

  std::vector<Tensor> arrays(const std::string& role) const {
    std::vector<Tensor> found;
    while (!array(role + std::to_string(found.size())).is_empty()) {
      found.push_back(array(role + std::to_string(found.size())));
    }
    return found;
  }

  Shape input_shape() const {
    Shape shape;
    for (const io::Json& length : golden()["input_shape"]) shape.push_back(length.as_int());
    return shape.with(0, -1);
  }

  /// With the golden weights, before it is quantized.
  Layer real() const {
    const Layer layer = layers::deserialize(golden()["layer"]);
    layer.build(input_shape());
    layer.set_weights(arrays("before"));
    return layer;
  }

  Layer quantized() const {
    const Layer layer = real();
    layer.quantize("int8", quantizers::QuantizationConfig::from_config(golden()["config"]));
    return layer;
  }

  void expect_outputs_and_gradients(const Layer& layer, const std::string& prefix) const {
    const Tensor x = array("x");
    GradientTape tape;
    tape.watch(x);
    const Tensor y = layer(x);
    const Tensor loss = sum(cast(y, float32) * array(prefix + "upstream"));
    EXPECT_EQ(name_of(y.dtype()), golden()["dtype"].as_string());
    EXPECT_LT(test::relative_distance(cast(y, float32), array(prefix + "y")), is_half() ? 0x1p-7 : 1e-6);
    const Tensor gradient = array(prefix + "gradient");
    if (gradient.is_empty()) return;
    EXPECT_LT(test::relative_distance(tape.gradient(loss, x), gradient), is_half() ? 0x1p-6 : 1e-6);
  }

  static std::vector<Tensor> saved_by(const Layer& layer) {
    const auto& impl = dynamic_cast<const layers::QuantizableLayerImpl&>(*layer.impl());
    std::vector<Tensor> saved;
    for (const auto& [name, variable] : impl.saved_variables()) saved.push_back(impl.saved_value(variable));
    return saved;
  }

  /// Integers are the same, but for ties in the last bit where `may_differ`.
  static void expect_weights(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected, bool may_differ) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      SCOPED_TRACE("weight " + std::to_string(i));
      EXPECT_EQ(actual[i].spec(), expected[i].spec());
      if (actual[i].dtype() == int8 && !may_differ) {
        EXPECT_EQ(actual[i].to_vector(), expected[i].to_vector());
      } else if (actual[i].dtype() == int8) {
        const Tensor difference = ops::abs(cast(actual[i], int32) - cast(expected[i], int32));
        EXPECT_LE(ops::max(difference).item(), 1.0);
      } else {
        EXPECT_LT(test::relative_distance(actual[i], expected[i]), may_differ ? 1e-2 : 1e-6);
      }
    }
  }
};

TEST_P(QuantizedLayer, HasTheWeightsOutputsAndGradientsOfKeras) {
  const test::PolicyScope scope(golden()["policy"].as_string());
  const Layer layer = quantized();
  EXPECT_EQ(layer.quantization_mode(), "int8");
  EXPECT_EQ(layer.dtype_policy(), golden()["dtype_policy"].as_string());
  std::vector<std::string> names;
  for (const Variable& weight : layer.weights()) names.push_back(weight.name());
  std::vector<std::string> expected;
  for (const io::Json& name : golden()["names"]) expected.push_back(name.as_string());
  EXPECT_EQ(names, expected);
  expect_weights(layer.get_weights(), arrays("weight"), false);
  expect_outputs_and_gradients(layer, "");
  expect_weights(saved_by(layer), arrays("saved"), false);
}

TEST_P(QuantizedLayer, ComputesTheSameInACompiledStep) {
  const test::PolicyScope scope(golden()["policy"].as_string());
  const Layer layer = quantized();
  const Shape shape = input_shape();
  const bool is_index = array("x").dtype() == int32;
  const Sequential model(
      {layers::Input({.shape = shape.slice(1, shape.rank()), .dtype = is_index ? "int32" : ""}), layer});
  EXPECT_LT(test::relative_distance(cast(model.predict(array("x"), {.verbose = 0}), float32), array("y")),
            is_half() ? 0x1p-7 : 1e-6);
}

TEST_P(QuantizedLayer, AddsLoraAndMergesItAsKeras) {
  if (!golden()["lora"].as_bool()) GTEST_SKIP() << "Keras has no LoRA for this equation";
  const test::PolicyScope scope(golden()["policy"].as_string());
  const Layer layer = quantized();
  LoraLayer::from_layer(layer).enable_lora(2, {.lora_alpha = 3});
  const std::vector<Tensor> matrices = arrays("lora");
  std::size_t next = 0;
  for (const Variable& weight : layer.weights()) {
    if (weight.name().starts_with("lora")) weight.assign(matrices.at(next++));
  }
  EXPECT_EQ(next, 2U);
  expect_outputs_and_gradients(layer, "lora_");
  expect_weights(saved_by(layer), arrays("merged"), is_half());
}

TEST_P(QuantizedLayer, IsWrittenAndReadAsByKeras) {
  const test::PolicyScope scope(golden()["policy"].as_string());
  const Layer layer = quantized();
  const io::Json config = layer.get_config();
  const io::Json& expected = golden()["quantized"]["config"];
  EXPECT_EQ(config["quantization_config"], expected["quantization_config"]);
  EXPECT_EQ(config["dtype"].as_string(), golden()["dtype_policy"].as_string());
  const Layer reread = layers::deserialize(golden()["quantized"]);
  EXPECT_EQ(reread.quantization_mode(), "int8");
  EXPECT_EQ(reread.get_config()["quantization_config"], expected["quantization_config"]);
  reread.build(input_shape());
  for (const Variable& weight : reread.weights()) {
    const bool is_kernel = weight.name() == "kernel" || weight.name() == "embeddings";
    EXPECT_EQ(weight.dtype() == int8, is_kernel) << weight.path();
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, QuantizedLayer, ::testing::ValuesIn(names_of_cases()),
                         [](const auto& test_info) { return test_info.param; });

TEST(Quantize, ElidedAxesAreThoseOfTheWholeEquation) {
  const Tensor x = test::random_tensor({3, 2, 4, 5}, 7);
  const layers::EinsumDense whole("xyab,bc->xyac", {2, 4, 6});
  const layers::EinsumDense elided("...ab,bc->...ac", {4, 6});
  whole.build({-1, 2, 4, 5});
  elided.build({-1, 2, 4, 5});
  elided.set_weights(whole.get_weights());
  whole.quantize("int8");
  elided.quantize("int8");
  EXPECT_TRUE(test::same_bits(whole(x), elided(x)));
}

TEST(Quantize, RefusesInKerasWords) {
  const Dense layer(2, {.name = "d"});
  EXPECT_THAT([&] { layer.quantize("int8"); },
              ThrowsMessage<ValueError>("Cannot quantize a layer that isn't yet built. Layer 'd' (of type 'Dense') is "
                                        "not built yet."));
  layer.build({-1, 3});
  EXPECT_THAT([&] { layer.quantize("int7"); },
              ThrowsMessage<ValueError>("Invalid quantization mode. Expected one of ('int8', 'float8', 'int4', 'gptq', "
                                        "'awq'). Received: mode=int7"));
  EXPECT_THROW(layer.quantize("int4"), NotImplementedError);
  EXPECT_THAT([&] { layer.quantize(quantizers::QuantizationConfig()); },
              ThrowsMessage<ValueError>("You must provide either `mode` or `config` to `quantize`."));
  layer.quantize(quantizers::Int8QuantizationConfig());
  EXPECT_THAT([&] { layer.quantize("int8"); },
              ThrowsMessage<ValueError>("Layer 'd' is already quantized with dtype_policy='int8_from_float32'. "
                                        "Received: mode=int8"));
  const layers::Dropout dropout(0.5);
  dropout.build({-1, 3});
  EXPECT_THAT([&] { dropout.quantize("int8"); },
              ThrowsMessage<NotImplementedError>("Layer Dropout does not have a `quantize` method implemented."));
  const layers::ReversibleEmbedding table(4, 2);
  table.build({-1, 3});
  EXPECT_THROW(table.quantize("int8"), NotImplementedError);
  const Dense half(2, {.dtype = "mixed_float16"});
  half.build({-1, 3});
  EXPECT_THAT([&] { half.quantize("int8"); },
              ThrowsMessage<ValueError>(HasSubstr("doesn't work well with compute_dtype='float16'")));
}

TEST(Quantize, PoliciesOfQuantizedLayersAreThoseOfLayersThatCanBeQuantized) {
  const Dense layer(2, {.dtype = "int8_from_mixed_bfloat16"});
  EXPECT_EQ(layer.quantization_mode(), "int8");
  EXPECT_EQ(layer.compute_dtype(), bfloat16);
  EXPECT_EQ(layer(Tensor::zeros({1, 3})).dtype(), bfloat16);
  EXPECT_EQ(layer.weights()[1].dtype(), int8);
  const layers::Dropout dropout(0.5, {.dtype = "int8_from_float32"});
  EXPECT_THAT(
      [&] {
        dropout(Tensor::zeros({1, 3}));
      },
      ThrowsMessage<NotImplementedError>(HasSubstr("does not have a `_int8_call` method implemented.")));
  EXPECT_THROW(Dense(2, {.dtype = "int8_from_float16"}), ValueError);
  EXPECT_THROW(Dense(2, {.dtype = "int7_from_float32"}), ValueError);
}

TEST(Quantize, GradientsOutliveTheLayer) {
  const Tensor x = test::random_tensor({3, 4}, 11);
  GradientTape tape;
  tape.watch(x);
  Tensor loss;
  {
    const Dense layer(2);
    layer.build({-1, 4});
    layer.quantize("int8");
    loss = sum(layer(x));
  }
  EXPECT_EQ(tape.gradient(loss, x).shape(), x.shape());
}

Sequential small_model() {
  return Sequential({layers::Input({.shape = {6}}), Dense(8, {.activation = "relu", .name = "first"}),
                     layers::Dropout(0.25, {.name = "drop"}), Dense(3, {.name = "last"})});
}

TEST(QuantizeModel, ChangesItsLayersAndWarnsOfOthers) {
  const Sequential model = small_model();
  const WarningsScope warnings;
  model.quantize("int8");
  EXPECT_THAT(warnings.messages(), ::testing::Contains("Layer Dropout does not have a `quantize` method implemented."));
  EXPECT_EQ(model.get_layer("first").quantization_mode(), "int8");
  EXPECT_EQ(model.get_layer("last").quantization_mode(), "int8");
  EXPECT_EQ(model.quantization_mode(), "");
  EXPECT_THROW(model.quantize("int8"), ValueError);
}

TEST(QuantizeModel, FiltersLayersByNameOrFunction) {
  const WarningsScope warnings;
  const auto modes = [](const QuantizeOptions& options) {
    const Sequential model = small_model();
    model.quantize("int8", options);
    return std::vector{model.get_layer("first").quantization_mode(), model.get_layer("last").quantization_mode()};
  };
  EXPECT_THAT(modes({.filters = "fir"}), ElementsAre("int8", ""));
  EXPECT_THAT(modes({.filters = std::vector<std::string>{"^x", "st$"}}), ElementsAre("int8", "int8"));
  EXPECT_THAT(modes({.filters = LayerFilter([](const Layer& layer) { return layer.name() == "last"; })}),
              ElementsAre("", "int8"));
}

TEST(QuantizeModel, PredictionsFollowAtOnce) {
  const WarningsScope warnings;
  const Sequential model = small_model();
  const Tensor x = test::random_tensor({40, 6}, 3);
  const Tensor before = model.predict(x, {.verbose = 0});
  model.quantize("int8");
  const Tensor after = model.predict(x, {.verbose = 0});
  EXPECT_GT(test::relative_distance(after, before), 0.0);
  EXPECT_LT(test::relative_distance(after, before), 0.05);
  EXPECT_LT(test::relative_distance(model(x), after), 1e-6);
}

TEST(QuantizeModel, TrainsWhatIsNotQuantized) {
  const WarningsScope warnings;
  const Sequential model = small_model();
  model.quantize("int8");
  LoraLayer::from_layer(model.get_layer("first")).enable_lora(2);
  model.compile({.optimizer = "adam", .loss = "mse"});
  EXPECT_EQ(model.trainable_weights().size(), 4U);
  const std::vector<Tensor> before = model.get_weights();
  const Tensor x = test::random_tensor({32, 6}, 5);
  model.fit(x, test::random_tensor({32, 3}, 6), {.epochs = 2, .verbose = 0});
  const std::vector<Variable> weights = model.weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const bool has_changed = !test::same_bits(weights[i].stored_value(), before[i]);
    EXPECT_EQ(has_changed, weights[i].trainable()) << weights[i].path();
  }
}

TEST(QuantizeModel, IsTheSameAfterSavingAndLoading) {
  const WarningsScope warnings;
  const test::TemporaryFolder folder;
  const Sequential model = small_model();
  model.quantize("int8");
  const Tensor x = test::random_tensor({8, 6}, 9);
  const Tensor expected = model.predict(x, {.verbose = 0});
  for (const std::string name : {"m.keras", "m.h5"}) {
    const std::string path = folder / name;
    model.save(path);
    const Model loaded = load_model(path);
    EXPECT_EQ(loaded.get_layer("first").quantization_mode(), "int8") << name;
    EXPECT_TRUE(test::same_bits(loaded.predict(x, {.verbose = 0}), expected)) << name;
  }
  const std::string weights = folder / "m.weights.h5";
  model.save_weights(weights);
  const Sequential other = small_model();
  EXPECT_THROW(other.load_weights(weights), ValueError);
  other.quantize("int8");
  other.load_weights(weights);
  EXPECT_TRUE(test::same_bits(other.predict(x, {.verbose = 0}), expected));
}

}  // namespace
}  // namespace rhyton::models
