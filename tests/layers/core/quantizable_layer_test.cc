// Layers after quantize("int8"): against Keras (tests/golden/make_quantization.py).

#include <rhyton/layers/core/quantizable_layer.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/einsum_dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/reversible_embedding.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/policy_scope.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::layers {
namespace {

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
    Layer layer = deserialize(golden()["layer"]);
    layer.build(input_shape());
    layer.set_weights(arrays("before"));
    return layer;
  }

  Layer quantized() const {
    Layer layer = real();
    layer.quantize("int8", quantizers::QuantizationConfig::from_config(golden()["config"]));
    return layer;
  }

  void expect_outputs_and_gradients(const Layer& layer, const std::string& prefix) const {
    const Tensor x = array("x");
    GradientTape tape;
    if (is_floating(x.dtype())) tape.watch(x);
    const Tensor y = layer(x);
    const Tensor loss = sum(cast(y, float32) * array(prefix + "upstream"));
    // Sums of up to 1500 terms in another order; the derivative 1 - y² of tanh loses digits.
    constexpr double rounding = 0x1p-18;
    EXPECT_EQ(name_of(y.dtype()), golden()["dtype"].as_string());
    EXPECT_LT(test::relative_distance(cast(y, float32), array(prefix + "y")), is_half() ? 0x1p-7 : rounding);
    const Tensor gradient = array(prefix + "gradient");
    if (gradient.is_empty()) return;
    EXPECT_LT(test::relative_distance(tape.gradient(loss, x), gradient), is_half() ? 0x1p-6 : rounding);
  }

  static std::vector<Tensor> saved_by(const Layer& layer) {
    const auto& impl = dynamic_cast<const QuantizableLayerImpl&>(*layer.impl());
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
  const Layer reread = deserialize(golden()["quantized"]);
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
  const EinsumDense whole("xyab,bc->xyac", {2, 4, 6});
  const EinsumDense elided("...ab,bc->...ac", {4, 6});
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
  const Dropout dropout(0.5);
  dropout.build({-1, 3});
  EXPECT_THAT([&] { dropout.quantize("int8"); },
              ThrowsMessage<NotImplementedError>("Layer Dropout does not have a `quantize` method implemented."));
  const ReversibleEmbedding table(4, 2);
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
  const Dropout dropout(0.5, {.dtype = "int8_from_float32"});
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

}  // namespace
}  // namespace rhyton::layers
