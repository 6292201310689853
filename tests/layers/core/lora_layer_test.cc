#include <rhyton/layers/core/lora_layer.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/attention/multi_head_attention.h>
#include <rhyton/layers/convolutional/conv1d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/einsum_dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/reversible_embedding.h>
#include <rhyton/layers/regularization/dropout.h>

namespace rhyton::layers {
namespace {

using ::testing::ThrowsMessage;

std::vector<std::string> names_of(const std::vector<Variable>& weights) {
  std::vector<std::string> names;
  for (const Variable& weight : weights) names.push_back(weight.name());
  return names;
}

using Names = std::vector<std::string>;

TEST(LoraLayer, HasTheShapesOfKeras) {
  const Dense dense(4);
  dense.build({-1, 3});
  EXPECT_FALSE(dense.lora_enabled());
  dense.enable_lora(2);
  EXPECT_TRUE(dense.lora_enabled());
  EXPECT_EQ(names_of(dense.weights()), (Names{"kernel", "bias", "lora_kernel_a", "lora_kernel_b"}));
  EXPECT_EQ(names_of(dense.trainable_weights()), (Names{"bias", "lora_kernel_a", "lora_kernel_b"}));
  EXPECT_EQ(dense.weights()[2].shape(), (Shape{3, 2}));
  EXPECT_EQ(dense.weights()[3].shape(), (Shape{2, 4}));
  EXPECT_EQ(dense.weights()[2].path(), dense.name() + "/lora_kernel_a");
  EXPECT_EQ(dense.count_params(), 30);

  const EinsumDense heads("abc,cde->abde", {-1, 2, 5});
  heads.build({-1, 3, 4});
  heads.enable_lora(3);
  EXPECT_EQ(heads.weights()[1].shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(heads.weights()[2].shape(), (Shape{3, 5}));

  const Embedding table(7, 4);
  table.build({-1, 2});
  table.enable_lora(2);
  EXPECT_EQ(names_of(table.weights()), (Names{"embeddings", "lora_embeddings_a", "lora_embeddings_b"}));
  EXPECT_EQ(table.weights()[1].shape(), (Shape{7, 2}));

  const Conv1D conv(6, 3);
  conv.build({-1, 8, 2});
  conv.enable_lora(2);
  EXPECT_EQ(conv.weights()[2].shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(conv.weights()[3].shape(), (Shape{2, 6}));
}

TEST(LoraLayer, IsAnArgumentOfTheLayer) {
  const Dense dense(4, {.lora_rank = 2, .lora_alpha = 8});
  EXPECT_FALSE(dense.lora_enabled()) << "before it is built";
  dense.build({-1, 3});
  EXPECT_TRUE(dense.lora_enabled());
  EXPECT_EQ(dense.get_config()["lora_rank"].as_int(), 2);
  EXPECT_EQ(dense.get_config()["lora_alpha"].as_double(), 8);
  const Dense again = Dense::from_config(dense.get_config());
  again.build({-1, 3});
  EXPECT_EQ(again.weights().size(), 4U);

  EXPECT_FALSE(Dense(4).get_config().contains("lora_rank"));
  EXPECT_FALSE(Dense(4, {.lora_alpha = 3}).get_config().contains("lora_alpha"));
  const ReversibleEmbedding words(5, 3, {.tie_weights = false, .lora_rank = 1});
  words.build({-1, 2});
  EXPECT_EQ(names_of(words.weights()),
            (Names{"embeddings", "lora_embeddings_a", "lora_embeddings_b", "reverse_embeddings"}));
  EXPECT_EQ(words.get_config()["lora_rank"].as_int(), 1);
}

TEST(LoraLayer, OfAProjectionOfAttention) {
  const MultiHeadAttention attention(2, 3, {.name = "attention"});
  attention.build({-1, 4, 5}, {-1, 4, 5});
  attention.query_dense().enable_lora(2);
  MultiHeadAttention::from_layer(attention).value_dense().enable_lora(2);
  EXPECT_EQ(attention.weights().size(), 12U);
  EXPECT_EQ(attention.weights()[2].path(), "attention/query/lora_kernel_a");
  EXPECT_EQ(attention.non_trainable_weights().size(), 2U);
}

TEST(LoraLayer, IsFrozenWithTheLayer) {
  const Dense dense(4);
  dense.build({-1, 3});
  dense.set_trainable(false);
  dense.enable_lora(2);
  EXPECT_TRUE(dense.trainable_weights().empty());
  // As in Keras, this makes the kernel trainable too.
  dense.set_trainable(true);
  EXPECT_EQ(dense.trainable_weights().size(), 4U);
}

TEST(LoraLayer, HasTheErrorsOfKeras) {
  const Dense dense(4);
  EXPECT_THAT([&] { dense.enable_lora(2); },
              ThrowsMessage<ValueError>("Cannot enable lora on a layer that isn't yet built."));
  dense.build({-1, 3});
  EXPECT_THAT([&] { dense.enable_lora(0); },
              ThrowsMessage<ValueError>("Received an invalid value for `rank`, expected a positive integer. Received: "
                                        "rank=0 (layer '" +
                                        dense.name() + "')"));
  dense.enable_lora(2);
  EXPECT_THAT([&] { dense.enable_lora(2); },
              ThrowsMessage<ValueError>("lora is already enabled. This can only be done once per layer."));

  const Dense limited(4, {.kernel_constraint = "non_neg"});
  limited.build({-1, 3});
  EXPECT_THAT([&] { limited.enable_lora(2); },
              ThrowsMessage<ValueError>("Lora is incompatible with kernel constraints. In order to enable lora on this "
                                        "layer, remove the `kernel_constraint` argument."));
  const Embedding table(4, 2, {.embeddings_constraint = "non_neg", .lora_rank = 1});
  EXPECT_THAT(
      [&] {
        table.build({-1, 3});
      },
      ThrowsMessage<ValueError>("Lora is incompatible with embedding constraints. In order to enable lora on "
                                "this layer, remove the `embeddings_constraint` argument."));
  EXPECT_THAT([] { LoraLayer::from_layer(Dropout(0.5, {.name = "drop"})); },
              ThrowsMessage<TypeError>("Expected a layer with LoRA: a Dense, EinsumDense, Embedding, "
                                       "ReversibleEmbedding or convolution. Received layer 'drop' of class Dropout."));
  EXPECT_THROW(LoraLayer::from_layer(Layer()), TypeError);
  EXPECT_THROW(MultiHeadAttention::from_layer(dense), TypeError);
  EXPECT_TRUE(LoraLayer::is_possible_for(dense));
  EXPECT_FALSE(LoraLayer::is_possible_for(Dropout(0.5)));
}

}  // namespace
}  // namespace rhyton::layers
