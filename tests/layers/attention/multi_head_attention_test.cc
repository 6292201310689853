// MultiHeadAttention and GroupQueryAttention: what they refuse, their sublayers, masks, dropout, dtypes and
// configurations.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layers.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/layers/weight_limit.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using test::random_tensor;

/// A call on a query and a value.
std::vector<Tensor> attend(const Layer& layer, const Tensor& query, const Tensor& value, const Keywords& kwargs = {},
                           bool training = false) {
  return layer.call_many(std::vector<Tensor>{query}, {.training = training, .args = {value}, .kwargs = kwargs});
}

/// Sets all weights to random numbers.
void disturb(const Layer& layer) {
  std::uint64_t seed = 40;
  for (const Variable& weight : layer.weights()) {
    weight.assign(cast(random_tensor(weight.shape(), ++seed), weight.dtype()));
  }
}

TEST(MultiHeadAttention, RefusesBadArguments) {
  const auto refusal = [](std::int64_t heads, std::int64_t size, const MultiHeadAttentionOptions& options = {}) {
    return message_of<ValueError>([&] { MultiHeadAttention(heads, size, options); });
  };
  EXPECT_EQ(refusal(0, 2),
            "Received an invalid value for argument `num_heads`, expected a positive integer. Received: num_heads=0");
  EXPECT_EQ(refusal(2, -1),
            "Received an invalid value for argument `key_dim`, expected a positive integer. Received: key_dim=-1");
  EXPECT_EQ(refusal(2, 2, {.value_dim = 0}),
            "Received an invalid value for argument `value_dim`, expected a positive integer or `None`. Received: "
            "value_dim=0");
  EXPECT_EQ(refusal(2, 2, {.sliding_window = 0}),
            "`sliding_window` must be `None` or a positive integer. Received: sliding_window=0");
  EXPECT_EQ(refusal(2, 2, {.dropout = 0.1, .flash_attention = true}),
            "Dropout is not supported when flash attention is enabled. Please set dropout to 0.0 to use flash "
            "attention.");
}

TEST(GroupQueryAttention, RefusesBadArguments) {
  EXPECT_EQ(message_of<ValueError>([] { GroupQueryAttention(2, 4, 3); }),
            "`num_query_heads` must be divisible by `num_key_value_heads`. Received: num_query_heads=4, "
            "num_key_value_heads=3");
  EXPECT_THROW(GroupQueryAttention(2, 4, 0), ValueError);
  EXPECT_THROW(GroupQueryAttention(0, 4, 2), ValueError);
  const SymbolicTensor query = Input({.shape = {3, 8}});
  const SymbolicTensor value = Input({.shape = {3, 6}});
  EXPECT_EQ(message_of<ValueError>([&] { GroupQueryAttention(2, 4, 2)(query, {.args = {value}}); }),
            "The last dimension of `query_shape` and `value_shape` must be equal, but are 8, 6. Received: "
            "query_shape=(None, 3, 8), value_shape=(None, 3, 6)");
}

TEST(MultiHeadAttention, WithoutKeysTheHeadsAreZeroForMaskedQueriesToo) {
  const Tensor mask = cast(Tensor::from_data<std::int32_t>({1, 2}, {1, 0}), DType::bool_);
  const Tensor query = random_tensor({1, 2, 3}, 1);
  const Tensor value = Tensor::zeros({1, 0, 3});
  const MultiHeadAttention layer(2, 3);
  const GroupQueryAttention grouped(4, 2, 1);
  EXPECT_EQ(attend(layer, query.with_mask(mask), value)[0].to_vector(), std::vector<double>(6, 0.0));
  EXPECT_EQ(attend(grouped, query, value, {{"query_mask", mask}})[0].to_vector(), std::vector<double>(6, 0.0));
}

TEST(MultiHeadAttention, RefusesBadCallsWhenTheModelIsMade) {
  const SymbolicTensor x = Input({.shape = {3, 8}});
  const SymbolicTensor longer = Input({.shape = {4, 8}});
  EXPECT_EQ(message_of<ValueError>([&] {
              MultiHeadAttention(2, 2, {.name = "mine"})(x, {.args = {longer, x}});
            }),
            "All dimensions of `value` and `key`, except the last one, must be equal. Received: value_shape=(None, 4, "
            "8) and key_shape=(None, 3, 8) (layer \"mine\")");
  EXPECT_EQ(message_of<ValueError>([&] { MultiHeadAttention(2, 2, {.dropout = 1.5})(x, {.args = {x}}); }),
            "Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: rate=1.5");
  const MultiHeadAttention flash(2, 2, {.flash_attention = true});
  EXPECT_EQ(
      message_of<ValueError>([&] {
        flash.call_many(std::vector<SymbolicTensor>{x}, {.args = {x}, .kwargs = {{"return_attention_scores", true}}});
      }),
      "Returning attention scores is not supported when flash attention is enabled. Please disable flash "
      "attention to access attention scores.");
  EXPECT_THROW(MultiHeadAttention(2, 2)(x), TypeError) << "without a value";
  const MultiHeadAttention layer(2, 2);
  layer(x, {.args = {x}});
  EXPECT_THROW(layer(Input({.shape = {3, 5}}), {.args = {x}}), ValueError) << "built for other features";
  EXPECT_THROW(layer(Input({.shape = {2, 3, 8}}), {.args = {x}}), ValueError) << "built for another rank";
  const SymbolicTensor mask = Input({.shape = {3, 4}, .dtype = "bool"});
  EXPECT_THROW(layer(x, {.args = {x}, .kwargs = {{"attention_mask", mask}}}), ValueError) << "a mask of other lengths";
  EXPECT_THROW(layer(x, {.args = {x}, .kwargs = {{"value_mask", mask}}}), ValueError);
}

TEST(MultiHeadAttention, RefusesShapesThatItCannotBeBuiltFor) {
  const auto build = [](const MultiHeadAttentionOptions& options, const Shape& shape) {
    MultiHeadAttention(2, 2, options).build(shape, shape);
  };
  EXPECT_THROW(build({}, {-1, 8}), ValueError) << "no axis to attend over";
  EXPECT_THROW(build({}, {8}), ValueError);
  EXPECT_THROW(build({}, {}), ValueError);
  EXPECT_THROW(build({.attention_axes = 3}, {-1, 4, 8}), ValueError);
  EXPECT_THROW(build({.attention_axes = Axes({1, 1})}, {-1, 4, 8}), ValueError);
  EXPECT_THROW(build({}, {-1, 2, 2, 2, 2, 2, 2, 8}), ValueError) << "too many axes";
  EXPECT_THROW(build({}, {-1, 4, -1}), ValueError) << "unknown features";
  EXPECT_THROW(build({.output_shape = -3}, {-1, 4, 8}), ValueError);
}

TEST(MultiHeadAttention, IsLimitedByTheLimitOfWeights) {
  const WeightLimit limit(WeightLimit::for_file(1000));
  const std::int64_t many = std::int64_t{1} << 40;
  EXPECT_THROW(MultiHeadAttention(many, 1).build({-1, 2, 3}, {-1, 2, 3}), Error);
  EXPECT_THROW(MultiHeadAttention(many, many).build({-1, 2, 3}, {-1, 2, 3}), Error);
  EXPECT_THROW(MultiHeadAttention(INT64_MAX, 2).build({-1, 2, 3}, {-1, 2, 3}), Error);
  EXPECT_THROW(GroupQueryAttention(many, many, many).build({-1, 2, 3}, {-1, 2, 3}), Error);
}

TEST(MultiHeadAttention, HasProjectionsAsSublayers) {
  const MultiHeadAttention layer(2, 3, {.name = "mha"});
  EXPECT_THROW(layer.query_dense(), ValueError) << "before it is built";
  layer.build({-1, 4, 8}, {-1, 5, 6});
  EXPECT_EQ(layer.query_dense().name(), "query");
  EXPECT_EQ(layer.key_dense().name(), "key");
  EXPECT_EQ(layer.value_dense().name(), "value");
  EXPECT_EQ(layer.output_dense().name(), "attention_output");
  EXPECT_EQ(layer.query_dense().weights()[0].path(), "mha/query/kernel");
  layer.set_trainable(false);
  EXPECT_TRUE(layer.query_dense().trainable_weights().empty());
  EXPECT_EQ(GroupQueryAttention(2, 4, 2).name().find("grouped_query_attention"), 0u);
}

TEST(MultiHeadAttention, FrozenByItsOptionKeepsTrainableSublayersAsInKeras) {
  const MultiHeadAttention layer(2, 3, {.trainable = false});
  layer.build({-1, 4, 8}, {-1, 5, 6});
  EXPECT_TRUE(layer.trainable_weights().empty());
  EXPECT_EQ(layer.query_dense().trainable_weights().size(), 2u);
}

TEST(MultiHeadAttention, KernelsOfOneSeedAreEqual) {
  const MultiHeadAttention same(2, 3, {.kernel_initializer = initializers::GlorotUniform({.seed = 5})});
  same.build({-1, 4, 8}, {-1, 4, 8});
  EXPECT_TRUE(test::same_bits(same.get_weights()[0], same.get_weights()[2]));
  const MultiHeadAttention other(2, 3);
  other.build({-1, 4, 8}, {-1, 4, 8});
  EXPECT_FALSE(test::same_bits(other.get_weights()[0], other.get_weights()[2]));
}

TEST(MultiHeadAttention, FlashAttentionChangesNothing) {
  const Tensor x = random_tensor({2, 5, 8}, 1);
  const MultiHeadAttention plain(2, 4);
  const MultiHeadAttention flash(2, 4, {.flash_attention = true});
  const Tensor expected = attend(plain, x, x)[0];
  attend(flash, x, x);
  flash.set_weights(plain.get_weights());
  EXPECT_TRUE(test::same_bits(attend(flash, x, x)[0], expected));
  EXPECT_FALSE(flash.get_config().contains("flash_attention"));
}

TEST(MultiHeadAttention, StoredScoresGiveTheSameResult) {
  const Tensor query = random_tensor({3, 70, 8}, 1);
  const Tensor value = random_tensor({3, 65, 8}, 2);
  const Tensor mask = greater(random_tensor({3, 70, 65}, 3), -0.5);
  for (const Layer& layer : std::vector<Layer>{MultiHeadAttention(4, 8, {.use_gate = true}),
                                               GroupQueryAttention(8, 4, 2, {.sliding_window = 40})}) {
    for (const bool causal : {false, true}) {
      const Keywords fused = {{"attention_mask", mask}, {"use_causal_mask", causal}};
      Keywords stored = fused;
      stored.emplace_back("return_attention_scores", true);
      const std::vector<Tensor> both = attend(layer, query, value, stored);
      EXPECT_EQ(both.at(1).shape(), (Shape{3, 4, 70, 65}));
      const Tensor output = attend(layer, query, value, fused)[0];
      // The first query may use one key at most; where there is none, the results differ, as in Keras.
      const std::vector<std::int64_t> rest = {3, 60, 8};
      test::expect_close_to_largest(slice(output, {0, 10, 0}, rest), slice(both[0], {0, 10, 0}, rest), 1e-5);
    }
  }
}

TEST(MultiHeadAttention, HiddenQueriesGetTheMeanOfTheValuesOrZeros) {
  const Tensor x = random_tensor({2, 4, 6}, 1);
  const Tensor mask = Tensor::from_data<bool>({2, 4}, {true, false, true, true, false, false, false, false});
  const Tensor masked = x.with_mask(mask);
  const MultiHeadAttention plain(2, 3);
  const Tensor output = attend(plain, masked, masked)[0];
  disturb(plain);
  const std::vector<Tensor> rows = unstack(attend(plain, masked, masked)[0], 1);
  EXPECT_TRUE(output.has_mask());
  const Tensor values = plain.value_dense()(x);
  const Tensor means = plain.output_dense()(mean(values, {1}, true));
  test::expect_close_to_largest(slice(rows[1], {1, 0}, {1, 6}), reshape(slice(means, {1, 0, 0}, {1, 1, 6}), {1, 6}),
                                1e-5);
  test::expect_close_to_largest(rows[1], squeeze(means, {1}), 1e-5);
  const MultiHeadAttention dropping(2, 3, {.dropout = 0.3});
  attend(dropping, masked, masked);
  dropping.set_weights(plain.get_weights());
  const Tensor bias = plain.get_weights().back();
  for (const bool training : {false, true}) {
    const Tensor hidden = unstack(attend(dropping, masked, masked, {}, training)[0], 1)[1];
    for (const Tensor& sample : unstack(hidden, 0)) test::expect_close_to_largest(sample, bias, 1e-6);
  }
}

TEST(MultiHeadAttention, MasksOfTheTensorsEqualAnAttentionMask) {
  const Tensor x = random_tensor({3, 6, 8}, 4);
  const Tensor mask = Tensor::from_data<bool>({3, 6}, {true, true, true, false, false, false, true, true, true, true,
                                                       false, true, true, false, false, false, false, false});
  const Tensor masked = x.with_mask(mask);
  const Tensor pairs = logical_and(expand_dims(mask, 2), expand_dims(mask, 1));
  for (const Layer& layer : std::vector<Layer>{MultiHeadAttention(2, 3), GroupQueryAttention(3, 4, 2),
                                               MultiHeadAttention(2, 3, {.dropout = 0.1})}) {
    for (const bool causal : {false, true}) {
      const Tensor expected = attend(layer, x, x, {{"attention_mask", pairs}, {"use_causal_mask", causal}})[0];
      const Tensor output = attend(layer, masked, masked, {{"use_causal_mask", causal}})[0];
      test::expect_close_to_largest(output, expected, 1e-5);
    }
  }
}

/// The outputs of two training steps, and the gradients of the second.
std::vector<Tensor> training_results(const Layer& layer, const Tensor& x, const Keywords& kwargs) {
  attend(layer, x, x, kwargs, true);
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = attend(layer, x, x, kwargs, true)[0];
  const Tensor target = sum(square(y));
  tape.stop_recording();
  return {y, tape.gradient(target, x), tape.gradient(target, layer.weights()[0])};
}

TEST(MultiHeadAttention, DropsTheSameProbabilitiesWithAndWithoutStoredScores) {
  const Tensor x = random_tensor({3, 7, 8}, 4);
  for (const auto& make :
       std::vector<Layer (*)()>{[] { return Layer(MultiHeadAttention(2, 4, {.dropout = 0.4, .seed = 9})); },
                                [] { return Layer(GroupQueryAttention(4, 4, 2, {.dropout = 0.4, .seed = 9})); }}) {
    const Layer first = make();
    const Layer second = make();
    attend(first, x, x);
    attend(second, x, x);
    disturb(first);
    second.set_weights(first.get_weights());
    for (const bool causal : {false, true}) {
      const std::vector<Tensor> fused = training_results(first, x, {{"use_causal_mask", causal}});
      const std::vector<Tensor> stored =
          training_results(second, x, {{"use_causal_mask", causal}, {"return_attention_scores", true}});
      for (std::size_t i = 0; i < fused.size(); ++i) test::expect_close_to_largest(fused[i], stored[i], 1e-5);
      const Keywords kwargs = {{"use_causal_mask", causal}};
      EXPECT_FALSE(test::same_bits(fused[0], attend(first, x, x, kwargs, true)[0])) << "each call draws";
      attend(second, x, x, kwargs, true);
    }
  }
}

TEST(MultiHeadAttention, ADropoutOfOneDropsEverything) {
  const Tensor x = random_tensor({2, 3, 4}, 1);
  const MultiHeadAttention layer(2, 2, {.dropout = 1.0});
  const Tensor y = attend(layer, x, x, {}, true)[0];
  EXPECT_EQ(y.to_vector(), std::vector<double>(24, 0.0)) << "the bias of the output";
}

TEST(MultiHeadAttention, ComputesInHalfTypes) {
  const Tensor x = random_tensor({2, 9, 8}, 1);
  const MultiHeadAttention exact(2, 4);
  const Tensor expected = attend(exact, x, x, {{"use_causal_mask", true}})[0];
  for (const auto& [policy, dtype, tolerance] :
       std::vector<std::tuple<std::string, DType, double>>{{"mixed_float16", DType::float16, 0x1p-8},
                                                           {"mixed_bfloat16", DType::bfloat16, 0x1p-5},
                                                           {"float64", DType::float64, 1e-5}}) {
    for (const bool scores : {false, true}) {
      const MultiHeadAttention layer(2, 4, {.dtype = policy});
      const Keywords kwargs = {{"use_causal_mask", true}, {"return_attention_scores", scores}};
      attend(layer, x, x, kwargs);
      std::vector<Tensor> weights;
      for (const Tensor& weight : exact.get_weights()) weights.push_back(cast(weight, layer.weights()[0].dtype()));
      layer.set_weights(weights);
      const std::vector<Tensor> outputs = attend(layer, x, x, kwargs);
      for (const Tensor& output : outputs) EXPECT_EQ(output.dtype(), dtype) << policy;
      test::expect_close_to_largest(cast(outputs[0], DType::float32), expected, tolerance);
    }
  }
}

TEST(MultiHeadAttention, ReadsConfigurationsOfOlderVersions) {
  const auto layer = MultiHeadAttention::from_config(io::Json::parse(
      R"({"name": "m", "trainable": true, "dtype": "float32", "num_heads": 2, "key_dim": 4, "value_dim": 4,
          "dropout": 0.0, "use_bias": true, "output_shape": 6, "attention_axes": [1], "query_shape": [null, 3, 8],
          "key_shape": [null, 3, 8], "value_shape": [null, 3, 8]})"));
  EXPECT_EQ(layer.get_config()["output_shape"].dump(), "[6]");
  EXPECT_EQ(layer(Input({.shape = {3, 8}}), {.args = {Input({.shape = {5, 8}})}}).shape(), (Shape{-1, 3, 6}));
  EXPECT_THROW(MultiHeadAttention::from_config(io::Json::parse(R"({"num_heads": 2})")), ValueError);
  EXPECT_THROW(MultiHeadAttention::from_config(io::Json::parse(R"({"num_heads": 2, "key_dim": 3, "heads": 1})")),
               ValueError);
  EXPECT_THROW(MultiHeadAttention::from_config(io::Json::parse(
                   R"({"num_heads": 2, "key_dim": 3, "kernel_constraint": {"class_name": "Nonsense", "config": {}}})")),
               ValueError);
}

TEST(MultiHeadAttention, TakesTheMaskOffItsInputInAModelAsInKeras) {
  const SymbolicTensor ids = Input({.shape = {4}, .dtype = "int32"});
  const SymbolicTensor x = Embedding(5, 6, {.mask_zero = true})(ids);
  const SymbolicTensor y = MultiHeadAttention(2, 3)(x, {.args = {x}});
  const SymbolicTensor sum = Add()(std::vector<SymbolicTensor>{x, y});
  const models::Model model({.inputs = ids, .outputs = {y, sum}});
  const Tensor words = Tensor::from_data<std::int32_t>({1, 4}, {3, 1, 0, 0});
  const std::vector<Tensor> outputs = model.call_many({words});
  EXPECT_TRUE(outputs[0].has_mask());
  EXPECT_FALSE(outputs[1].has_mask());
  const SymbolicTensor z = GroupQueryAttention(3, 2, 1)(x, {.args = {x}});
  const models::Model other({.inputs = ids, .outputs = Add()(std::vector<SymbolicTensor>{x, z})});
  EXPECT_TRUE(other(words).has_mask());
}

}  // namespace
}  // namespace rhyton::layers
