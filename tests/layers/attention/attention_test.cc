// Attention and AdditiveAttention: what they refuse, masks, dropout and dtypes.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/attention/additive_attention.h>
#include <rhyton/layers/attention/attention.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using test::random_tensor;

std::vector<Layer> layers_on_lists(double dropout = 0.0) {
  return {Attention({.dropout = dropout, .seed = 3}),
          Attention({.score_mode = "concat", .dropout = dropout, .seed = 3}),
          AdditiveAttention({.dropout = dropout, .seed = 3})};
}

TEST(Attention, RefusesAnUnknownScoreMode) {
  EXPECT_EQ(message_of<ValueError>([] { Attention({.score_mode = "general"}); }),
            "Invalid value for argument score_mode. Expected one of {'dot', 'concat'}. Received: score_mode=general");
}

TEST(Attention, RefusesOtherInputsThanListsOfTwoOrThree) {
  const SymbolicTensor x = Input({.shape = {3, 4}});
  EXPECT_EQ(message_of<ValueError>([&] { Attention()(x); }),
            "Attention layer must be called on a list of inputs, namely [query, value] or [query, value, key]. "
            "Received: inputs=(None, 3, 4).");
  EXPECT_EQ(message_of<ValueError>([&] {
              AdditiveAttention()(std::vector<SymbolicTensor>{x, x, x, x});
            }),
            "AdditiveAttention layer accepts inputs list of length 2 or 3, namely [query, value] or [query, value, "
            "key]. Received length: 4.");
  EXPECT_EQ(message_of<ValueError>([&] { Attention()(std::vector<SymbolicTensor>{x}); }),
            "Attention layer accepts inputs list of length 2 or 3, namely [query, value] or [query, value, key]. "
            "Received length: 1.");
}

TEST(Attention, RefusesOtherMasksThanListsOfTwoOrThree) {
  const Tensor x = random_tensor({2, 3, 4}, 1);
  const Tensor mask = Tensor::full({2, 3}, true, DType::bool_);
  for (const Layer& layer : layers_on_lists()) {
    EXPECT_TRUE(message_of<ValueError>([&] {
                  layer(std::vector<Tensor>{x, x}, {.mask = mask});
                })
                    .starts_with(layer.class_name() +
                                 " layer mask must be a list, namely [query_mask, value_mask]. Received: mask="));
    EXPECT_TRUE(message_of<ValueError>([&] {
                  layer(std::vector<Tensor>{x, x}, {.mask = Argument::List{mask}});
                }).starts_with(layer.class_name() + " layer accepts mask list of length 2 or 3. Received: inputs="));
    const Tensor longer = Tensor::full({2, 5}, true, DType::bool_);
    EXPECT_THROW(layer(std::vector<Tensor>{x, x}, {.mask = Argument::List{Argument(), longer}}), ValueError);
  }
}

TEST(Attention, RefusesShapesThatDoNotFitWhenTheModelIsMade) {
  const SymbolicTensor query = Input({.shape = {3, 4}});
  for (const Layer& layer : layers_on_lists()) {
    EXPECT_THROW(layer(std::vector<SymbolicTensor>{query, Input({.shape = {3, 5}})}), ValueError);
    EXPECT_THROW(layer(std::vector<SymbolicTensor>{query, Input({.shape = {2, 3, 4}})}), ValueError);
    EXPECT_THROW(layer(std::vector<SymbolicTensor>{query, query, Input({.shape = {2, 4}})}), ValueError);
    EXPECT_THROW(layer(std::vector<SymbolicTensor>{Input({.shape = {}}), Input({.shape = {}})}), ValueError);
  }
}

TEST(Attention, TellsTheShapesOfItsOutputs) {
  const SymbolicTensor query = Input({.shape = {-1, 4}});
  const SymbolicTensor value = Input({.shape = {5, 3}});
  const SymbolicTensor key = Input({.shape = {5, 4}});
  for (const Layer& layer : layers_on_lists()) {
    const std::vector<SymbolicTensor> outputs =
        layer.call_many({query, value, key}, {.kwargs = {{"return_attention_scores", true}}});
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(outputs[0].shape(), (Shape{-1, -1, 3}));
    EXPECT_EQ(outputs[1].shape(), (Shape{-1, -1, 5}));
  }
}

TEST(Attention, OutputsOfMaskedQueriesAreZeroAndKeepTheMask) {
  const Tensor mask = Tensor::from_data<bool>({1, 3}, {true, false, true});
  const Tensor x = random_tensor({1, 3, 4}, 1).with_mask(mask);
  for (const Layer& layer : layers_on_lists()) {
    const Tensor y = layer(std::vector<Tensor>{x, random_tensor({1, 5, 4}, 2)});
    EXPECT_EQ(slice(y, {0, 1, 0}, {1, 1, 4}).to_vector(), std::vector<double>(4, 0.0));
    ASSERT_TRUE(y.has_mask());
    EXPECT_EQ(y.mask().to_vector(), mask.to_vector());
  }
}

TEST(Attention, DropsTheSameWeightsWithAndWithoutStoredScores) {
  const Tensor x = random_tensor({3, 6, 4}, 1);
  for (std::size_t i = 0; i < 3; ++i) {
    const Layer first = layers_on_lists(0.5)[i];
    const Layer second = layers_on_lists(0.5)[i];
    const std::vector<Tensor> inputs = {x, x};
    first(inputs);
    second(inputs);
    second.set_weights(first.get_weights());
    for (const bool causal : {false, true}) {
      const Tensor fused = first(inputs, {.training = true, .kwargs = {{"use_causal_mask", causal}}});
      const std::vector<Tensor> stored = second.call_many(
          inputs, {.training = true, .kwargs = {{"use_causal_mask", causal}, {"return_attention_scores", true}}});
      test::expect_close_to_largest(fused, stored[0], 1e-5);
      const CallOptions options{.training = true, .kwargs = {{"use_causal_mask", causal}}};
      EXPECT_FALSE(test::same_bits(fused, first(inputs, options))) << "each call draws";
      second(inputs, options);
    }
  }
}

TEST(Attention, RefusesARateThatIsNoneInTraining) {
  const Tensor x = random_tensor({2, 3, 4}, 1);
  for (const Layer& layer : layers_on_lists(1.5)) {
    EXPECT_NO_THROW(layer(std::vector<Tensor>{x, x}));
    EXPECT_THROW(layer(std::vector<Tensor>{x, x}, {.training = true}), ValueError);
  }
  for (const Layer& layer : layers_on_lists(1.0)) {
    EXPECT_EQ(layer(std::vector<Tensor>{x, x}, {.training = true}).to_vector(), std::vector<double>(24, 0.0));
  }
}

TEST(Attention, ComputesInHalfTypes) {
  const Tensor x = random_tensor({2, 5, 4}, 1);
  const Tensor expected = Attention()(std::vector<Tensor>{x, x}, {.kwargs = {{"use_causal_mask", true}}});
  for (const std::string policy : {"mixed_float16", "mixed_bfloat16"}) {
    const Attention layer({.use_scale = true, .dtype = policy});
    const Tensor y = layer(std::vector<Tensor>{x, x}, {.kwargs = {{"use_causal_mask", true}}});
    EXPECT_EQ(y.dtype(), policy == "mixed_float16" ? DType::float16 : DType::bfloat16);
    EXPECT_EQ(layer.weights()[0].dtype(), DType::float32);
    test::expect_close_to_largest(cast(y, DType::float32), expected, 0x1p-5);
  }
}

}  // namespace
}  // namespace rhyton::layers
