#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/core/masking.h>
#include <rhyton/layers/core/reversible_embedding.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/policy_scope.h>

namespace rhyton::layers {
namespace {

using test::expect_close;
using test::GoldenCases;
using test::message_of;
using test::role;

const CallOptions reverse{.kwargs = {{"reverse", true}}};

const GoldenCases& golden_cases() {
  static const GoldenCases cases("reversible_embedding");
  return cases;
}

class GoldenReversibleEmbedding : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenReversibleEmbedding, EqualsKeras) {
  const GoldenCases& all = golden_cases();
  const io::Json& golden = all.find(GetParam());
  const Layer layer = deserialize(golden);
  layer.build({-1, 3});
  const std::vector<Variable> weights = layer.weights();
  ASSERT_EQ(weights.size(), golden["weights"].size());
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(weights[i].name(), golden["weights"][i]["name"].as_string());
    values.push_back(cast(all.array(golden, role("weight", i)), weights[i].dtype()));
  }
  layer.set_weights(values);

  const Tensor tokens = all.array(golden, "tokens");
  const Tensor x = all.array(golden, "x");
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor rows = layer(tokens);
  const Tensor logits = layer(x, reverse);
  const Tensor target = sum(cast(rows, DType::float32) * all.array(golden, "cotangent0")) +
                        sum(cast(logits, DType::float32) * all.array(golden, "cotangent1"));
  tape.stop_recording();

  // The last bit of the coarsest dtype that takes part.
  const std::string name = golden["name"].as_string();
  const bool is_coarse = name.find("16") != std::string::npos || name.starts_with("mixed");
  const double tolerance = !is_coarse ? 5e-6 : name.find("own_weights") != std::string::npos ? 1e-2 : 2e-3;
  const auto dtype_of = [&](const char* result) { return dtype_from_name(golden["dtypes"][result].as_string()); };
  EXPECT_EQ(rows.dtype(), dtype_of("rows"));
  EXPECT_EQ(logits.dtype(), dtype_of("logits"));
  expect_close(rows, all.array(golden, "rows"), tolerance, "rows");
  expect_close(logits, all.array(golden, "logits"), tolerance, "logits");
  expect_close(tape.gradient(target, x), all.array(golden, "x_gradient"), tolerance, "gradient of x");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    expect_close(tape.gradient(target, weights[i]), all.array(golden, role("weight_gradient", i)), tolerance,
                 role("gradient of weight ", i));
  }
  EXPECT_EQ(rows.has_mask(), golden["masked"].as_bool());
  EXPECT_FALSE(logits.has_mask());
  if (rows.has_mask()) {
    EXPECT_EQ(rows.mask().to_vector(), all.array(golden, "mask").to_vector());
  }

  const test::PolicyScope policy(golden["model_policy"].as_string());
  const SymbolicTensor inputs = Input({.shape = {3}, .dtype = "int32"});
  const models::Model model({.inputs = {inputs}, .outputs = {layer(layer(inputs), reverse)}});
  const Tensor in_model = model(tokens);
  EXPECT_EQ(in_model.dtype(), dtype_of("in_model"));
  expect_close(in_model, all.array(golden, "in_model"), tolerance, "within a model");
  const Tensor predicted = model.predict(tokens, {.verbose = 0});
  EXPECT_EQ(predicted.dtype(), dtype_of("in_model"));
  expect_close(predicted, all.array(golden, "in_model"), tolerance, "predicted by a model");
}

INSTANTIATE_TEST_SUITE_P(All, GoldenReversibleEmbedding, ::testing::ValuesIn(golden_cases().names()),
                         [](const auto& info) { return test::test_name(info.param); });

TEST(ReversibleEmbedding, InfersShapesInBothDirections) {
  const ReversibleEmbedding layer(6, 4);
  const SymbolicTensor rows = layer(Input({.shape = {-1}, .dtype = "int32"}));
  EXPECT_EQ(rows.shape(), (Shape{-1, -1, 4}));
  EXPECT_EQ(layer(rows, reverse).shape(), (Shape{-1, -1, 6}));
  EXPECT_EQ(ReversibleEmbedding(6, 4)(Input({.shape = {4}}), reverse).shape(), (Shape{-1, 6}));
  EXPECT_EQ(layer(Input({.shape = {3, -1}}), reverse).shape(), (Shape{-1, 3, 6}));
  EXPECT_EQ(layer(Tensor::zeros({4}), reverse).shape(), (Shape{6}));
  EXPECT_EQ(ReversibleEmbedding(6, 4, {.reverse_dtype = "float64"})(rows, reverse).dtype(), DType::float64);
  EXPECT_EQ(ReversibleEmbedding(6, 4, {.dtype = "mixed_float16"})(rows, reverse).dtype(), DType::float32);
}

TEST(ReversibleEmbedding, TiedWeightsAreOne) {
  EXPECT_EQ(ReversibleEmbedding(6, 4).weights().size(), 0U);
  const ReversibleEmbedding tied(6, 4);
  tied.build({-1, 3});
  EXPECT_EQ(tied.count_params(), 24);
  const ReversibleEmbedding own(6, 4, {.tie_weights = false, .embeddings_regularizer = "l2", .name = "words"});
  own.build({-1, 3});
  EXPECT_EQ(own.count_params(), 48);
  EXPECT_EQ(own.weights()[1].path(), "words/reverse_embeddings");
  EXPECT_EQ(own.losses().size(), 1U);
}

TEST(ReversibleEmbedding, MasksAreNoPartOfAModel) {
  const ReversibleEmbedding layer(6, 4, {.mask_zero = true});
  const Input tokens({.shape = {3}, .dtype = "int32"});
  EXPECT_FALSE(layer(tokens).has_mask());
  const Tensor rows = layer(Tensor::from_data<std::int32_t>({1, 3}, {0, 2, 0}));
  ASSERT_TRUE(rows.has_mask());
  EXPECT_EQ(rows.mask().to_vector(), (std::vector<double>{0, 1, 0}));
  EXPECT_FALSE(layer(Masking()(Tensor::zeros({1, 3, 4})), reverse).has_mask());
}

TEST(ReversibleEmbedding, ConfigIsThatOfKeras) {
  const ReversibleEmbedding layer(6, 4,
                                  {.tie_weights = false,
                                   .embeddings_initializer = "zeros",
                                   .mask_zero = true,
                                   .reverse_dtype = "float32",
                                   .logit_soft_cap = 30,
                                   .name = "words"});
  const io::Json config = layer.get_config();
  std::string keys;
  for (const auto& [key, value] : config.items()) keys += key + " ";
  EXPECT_EQ(keys,
            "name trainable dtype input_dim output_dim embeddings_initializer embeddings_regularizer "
            "activity_regularizer embeddings_constraint mask_zero tie_weights reverse_dtype logit_soft_cap ");
  EXPECT_EQ(config["reverse_dtype"].as_string(), "float32");
  EXPECT_EQ(config["logit_soft_cap"].as_double(), 30);
  EXPECT_EQ(ReversibleEmbedding::from_config(config).get_config(), config);
  const io::Json defaults = ReversibleEmbedding(6, 4).get_config();
  EXPECT_TRUE(defaults["reverse_dtype"].is_null());
  EXPECT_TRUE(defaults["logit_soft_cap"].is_null());
  EXPECT_TRUE(defaults["tie_weights"].as_bool());
}

TEST(ReversibleEmbedding, ErrorsAreThoseOfKeras) {
  EXPECT_EQ(message_of<ValueError>([] { ReversibleEmbedding(5, -4); }),
            "`output_dim` must be a positive integer. Received: output_dim=-4 (of type int).");
  EXPECT_EQ(message_of<ValueError>([] { ReversibleEmbedding(5, 4, {.reverse_dtype = "foo"}); }), "Invalid dtype: foo");
  const ReversibleEmbedding layer(5, 3, {.name = "words"});
  const std::string width = "Layer 'words' with `reverse=True` expects inputs of width output_dim=3. Received: ";
  EXPECT_EQ(message_of<ValueError>([&] {
              layer(Input({.shape = {3, 4}}), reverse);
            }),
            width + "inputs.shape=(None, 3, 4)");
  EXPECT_EQ(message_of<ValueError>([&] { layer(Tensor::zeros({2, 4}), reverse); }), width + "inputs.shape=(2, 4)");
  EXPECT_NE(message_of<ValueError>([&] {
              layer(Tensor::zeros({2, 3}), {.args = {true}});
            }).find("Only input tensors may be passed as positional arguments."),
            std::string::npos);
}

}  // namespace
}  // namespace rhyton::layers
