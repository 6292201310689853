// Invalid use throws Keras's messages: those of tests/golden/errors.json.

#include <functional>
#include <map>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/einsum_dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/merging/dot.h>
#include <rhyton/layers/merging/subtract.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/normalization/group_normalization.h>
#include <rhyton/layers/normalization/layer_normalization.h>
#include <rhyton/layers/normalization/rms_normalization.h>
#include <rhyton/layers/normalization/spectral_normalization.h>
#include <rhyton/layers/normalization/unit_normalization.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/layers/reshaping/permute.h>
#include <rhyton/layers/reshaping/repeat_vector.h>
#include <rhyton/layers/reshaping/reshape.h>
#include <rhyton/layers/rnn/time_distributed.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::GoldenCases;

SymbolicTensor input(const Shape& shape) { return Input({.shape = shape}); }
Tensor zeros(const Shape& shape) { return Tensor::zeros(shape); }

/// Keras's message without the text added for errors inside a call.
std::string core_of(std::string message) {
  const std::string head = "Exception encountered when calling ";
  if (message.starts_with(head)) {
    const std::size_t begin = message.find("\n\n") + 2;
    message = message.substr(begin, message.find("\n\nArguments received") - begin);
  }
  // Rhyton lists shapes where Keras prints its tensors.
  return message.substr(0, message.find(" Inputs received: "));
}

const std::map<std::string, std::function<void()>>& bad_uses() {
  static const std::map<std::string, std::function<void()>> uses = {
      {"conv2d_on_rank_2", [] { Conv2D(4, 3)(input({10})); }},
      {"conv2d_wrong_channels",
       [] {
         const Conv2D conv(4, 3);
         conv(input({8, 8, 3}));
         conv(input({8, 8, 1}));
       }},
      {"conv2d_kernel_beyond_image",
       [] {
         Conv2D(4, 5)(input({3, 3, 1}));
       }},
      {"dense_wrong_width",
       [] {
         const Dense dense(3);
         dense(zeros({2, 4}));
         dense(zeros({2, 5}));
       }},
      {"dense_on_rank_1", [] { Dense(3)(zeros({4})); }},
      {"dense_on_unknown_width", [] { Dense(3)(input({-1})); }},
      {"max_pooling2d_on_rank_2", [] { MaxPooling2D()(input({10})); }},
      {"max_pooling2d_beyond_image",
       [] {
         MaxPooling2D(4)(input({3, 3, 1}));
       }},
      {"global_average_pooling2d_on_rank_3",
       [] {
         GlobalAveragePooling2D()(input({5, 3}));
       }},
      {"batch_normalization_wrong_channels",
       [] {
         const BatchNormalization layer;
         layer(zeros({2, 4}));
         layer(zeros({2, 5}));
       }},
      {"reshape_mismatch",
       [] {
         Reshape({3, 5})(input({12}));
       }},
      {"reshape_mismatch_unknown",
       [] {
         Reshape({5, -1})(input({12}));
       }},
      {"reshape_two_unknown",
       [] {
         Reshape({-1, -1});
       }},
      {"reshape_mismatch_values",
       [] {
         Reshape({3, 5})(zeros({2, 12}));
       }},
      {"concatenate_mismatch",
       [] {
         Concatenate()({input({3, 4}), input({2, 4})});
       }},
      {"concatenate_ranks",
       [] {
         Concatenate()({input({3, 4}), input({4})});
       }},
      {"concatenate_one_input", [] { Concatenate()(input({4})); }},
      {"add_incompatible",
       [] {
         Add()({input({3}), input({4})});
       }},
      {"add_single", [] { Add()(input({3})); }},
      {"repeat_vector_0", [] { RepeatVector(0); }},
      {"repeat_vector_on_rank_3",
       [] {
         RepeatVector(2)(input({3, 4}));
       }},
      {"permute_with_a_gap",
       [] {
         Permute({1, 3});
       }},
      {"permute_of_the_batch",
       [] {
         Permute({0, 1});
       }},
      {"permute_on_rank_2",
       [] {
         Permute({2, 1})(input({3}));
       }},
      {"unit_normalization_axis_out_of_range", [] { UnitNormalization({.axis = 5})(input({3})); }},
      {"unit_normalization_axes_out_of_range",
       [] {
         UnitNormalization({.axis = {1, 5}})(input({3}));
       }},
      {"rms_normalization_on_unknown_width", [] { RMSNormalization()(input({-1})); }},
      {"group_normalization_groups_0", [] { GroupNormalization({.groups = 0}); }},
      {"group_normalization_groups_-2", [] { GroupNormalization({.groups = -2}); }},
      {"group_normalization_too_many_groups", [] { GroupNormalization()(input({4})); }},
      {"group_normalization_channels_not_of_groups", [] { GroupNormalization({.groups = 3})(input({4})); }},
      {"group_normalization_on_unknown_width", [] { GroupNormalization({.groups = 1})(input({-1})); }},
      {"group_normalization_of_the_batch", [] { GroupNormalization({.groups = 1, .axis = 0})(input({4})); }},
      {"group_normalization_wrong_channels",
       [] {
         const GroupNormalization layer({.groups = 1});
         layer(zeros({2, 4}));
         layer(zeros({2, 5}));
       }},
      {"group_normalization_wrong_rank",
       [] {
         const GroupNormalization layer({.groups = 1});
         layer(zeros({2, 4}));
         layer(zeros({2, 3, 4}));
       }},
      {"dot_mismatch",
       [] {
         Dot(1)({input({3}), input({4})});
       }},
      {"dot_mismatch_of_two_axes",
       [] {
         Dot({1, 2})({input({3, 5}), input({3, 4})});
       }},
      {"dot_mismatch_later",
       [] {
         const Dot layer(1);
         layer({zeros({2, 3}), zeros({2, 3})});
         layer({zeros({2, 3}), zeros({2, 4})});
       }},
      {"dot_on_unknown_width",
       [] {
         Dot(1)({input({-1}), input({3})});
       }},
      {"dot_of_the_batch",
       [] {
         Dot(0)({zeros({2, 3}), zeros({2, 3})});
       }},
      {"dot_batches_differ",
       [] {
         Dot(1)({zeros({2, 3}), zeros({1, 3})});
       }},
      {"dot_single", [] { Dot(1)(input({3})); }},
      {"dot_three_inputs",
       [] {
         Dot(1)({input({3}), input({3}), input({3})});
       }},
      {"dot_three_axes",
       [] {
         Dot({1, 2, 3});
       }},
      {"einsum_dense_format", [] { EinsumDense("ab,bc", {5})(input({3})); }},
      {"einsum_dense_ellipsis_in_the_middle", [] { EinsumDense("a...b,bc->a...c", {5})(input({3})); }},
      {"einsum_dense_ellipsis_in_the_input_only",
       [] {
         EinsumDense("...ab,bc->ac", {5})(input({3, 4}));
       }},
      {"einsum_dense_ellipsis_behind_one_letter", [] { EinsumDense("a...,ac->c...", {5})(input({3})); }},
      {"einsum_dense_spaces", [] { EinsumDense("ab , bc -> ac", {5})(input({3})); }},
      {"einsum_dense_shared_dimension",
       [] {
         EinsumDense("abc,cd->abd", {4, 6}, {.bias_axes = "d"})(input({5, 3}));
       }},
      {"einsum_dense_shared_dimension_unknown",
       [] {
         EinsumDense("abc,cd->abd", {4, 6}, {.bias_axes = "d"})(input({-1, 3}));
       }},
      {"einsum_dense_too_few_lengths",
       [] {
         EinsumDense("abc,cd->abd", {6}, {.bias_axes = "d"})(input({5, 3}));
       }},
      {"einsum_dense_unknown_in_output", [] { EinsumDense("ab,bc->ad", {5})(input({3})); }},
      {"einsum_dense_unknown_in_weight", [] { EinsumDense("ab,cd->ad", {5})(input({3})); }},
      {"einsum_dense_unknown_in_bias", [] { EinsumDense("ab,bc->ac", {5}, {.bias_axes = "z"})(input({3})); }},
      {"einsum_dense_kernel_of_unknown_length", [] { EinsumDense("ab,bc->ac", {-1})(input({3})); }},
      {"einsum_dense_kernel_of_unknown_input", [] { EinsumDense("ab,bc->ac", {5})(input({-1})); }},
      {"einsum_dense_bias_of_unknown_length",
       [] {
         EinsumDense("abc,cde->abde", {-1, 2, 7}, {.bias_axes = "be"})(input({5, 3}));
       }},
      {"einsum_dense_bias_of_the_batch", [] { EinsumDense("ab,bc->ac", {5}, {.bias_axes = "ac"})(input({3})); }},
      {"einsum_dense_wrong_rank",
       [] {
         const EinsumDense layer("...x,xy->...y", {4});
         layer(zeros({2, 3}));
         layer(zeros({2, 5, 3}));
       }},
      {"spectral_normalization_iterations_0", [] { SpectralNormalization(Dense(2), {.power_iterations = 0}); }},
      {"spectral_normalization_without_a_kernel", [] { SpectralNormalization{Flatten()}(input({3})); }},
      {"spectral_normalization_wrong_width",
       [] {
         const SpectralNormalization layer(Dense(2));
         layer(zeros({2, 3}));
         layer(zeros({2, 4}));
       }},
      {"time_distributed_nothing", [] { TimeDistributed{Layer()}; }},
      {"time_distributed_on_rank_2", [] { TimeDistributed(Dense(2))(input({3})); }},
      {"time_distributed_two_inputs",
       [] {
         TimeDistributed(Dense(2))({input({3, 4}), input({3, 4})});
       }},
      {"layer_two_inputs_for_one",
       [] {
         Dense(3)({input({3}), input({3})});
       }},
      {"unknown_activation", [] { Dense(3, {.activation = "nonsense"}); }},
      {"unknown_activation_layer", [] { Activation("nonsense"); }},
      {"unknown_initializer", [] { Dense(3, {.kernel_initializer = "nonsense"}); }},
      {"unknown_regularizer", [] { Dense(3, {.kernel_regularizer = "nonsense"}); }},
      {"unknown_constraint", [] { Dense(3, {.kernel_constraint = "nonsense"}); }},
      {"unknown_dtype", [] { Dense(3, {.dtype = "nonsense"}); }},
      {"unknown_padding", [] { Conv2D(3, 3, {.padding = "nonsense"}); }},
      {"causal_padding_2d", [] { Conv2D(3, 3, {.padding = "causal"}); }},
      {"unknown_data_format", [] { Conv2D(3, 3, {.data_format = "nonsense"}); }},
      {"dense_units_-1", [] { Dense(-1); }},
      {"conv2d_filters_-1", [] { Conv2D(-1, 3); }},
      {"dense_units_0", [] { Dense(0); }},
      {"conv2d_filters_0", [] { Conv2D(0, 3); }},
      {"conv2d_kernel_size_0", [] { Conv2D(3, 0); }},
      {"conv2d_kernel_size_-1", [] { Conv2D(3, -1); }},
      {"conv2d_strides_0", [] { Conv2D(3, 3, {.strides = 0}); }},
      {"conv2d_dilation_0", [] { Conv2D(3, 3, {.dilation_rate = 0}); }},
      {"conv2d_strides_and_dilation", [] { Conv2D(3, 3, {.strides = 2, .dilation_rate = 2}); }},
      {"conv2d_groups_0", [] { Conv2D(4, 3, {.groups = 0}); }},
      {"conv2d_filters_not_of_groups", [] { Conv2D(4, 3, {.groups = 3}); }},
      {"conv2d_channels_not_of_groups",
       [] {
         Conv2D(4, 3, {.groups = 2})(input({8, 8, 3}));
       }},
      {"max_pooling2d_size_0", [] { MaxPooling2D(0); }},
      {"dropout_rate_1.5", [] { Dropout(1.5); }},
      {"dropout_rate_-0.1", [] { Dropout(-0.1); }},
      {"embedding_dimension_0", [] { Embedding(0, 4); }},
      {"embedding_negative",
       [] {
         Embedding(-1, 4)(zeros({2, 3}));
       }},
      {"layer_name_with_slash", [] { Dense(3, {.name = "a/b"}); }},
      {"input_shape_missing", [] { Input({}); }},
      {"input_shape_negative", [] { Input({.shape = {-3}}); }},
      {"unbuilt_layer_count_params", [] { Dense(3, {.name = "dense"}).count_params(); }},
      {"layer_set_weights_count",
       [] {
         const Dense layer(3, {.name = "dense"});
         layer.build({-1, 4});
         layer.set_weights({zeros({4, 3})});
       }},
      {"layer_set_weights_shape",
       [] {
         const Dense layer(3, {.name = "dense"});
         layer.build({-1, 4});
         layer.set_weights({zeros({3, 4}), zeros({3})});
       }},
  };
  return uses;
}

class BadUse : public ::testing::TestWithParam<std::string> {};

TEST_P(BadUse, HasKerasMessage) {
  clear_session();
  static const GoldenCases golden("errors");
  const std::string expected = core_of(golden.find(GetParam())["message"].as_string());
  try {
    bad_uses().at(GetParam())();
    FAIL() << "nothing was thrown; expected: " << expected;
  } catch (const ValueError& error) {
    EXPECT_EQ(core_of(error.what()), expected);
  }
}

std::vector<std::string> use_names() {
  std::vector<std::string> names;
  for (const auto& [name, use] : bad_uses()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, BadUse, ::testing::ValuesIn(use_names()),
                         [](const auto& info) { return test::test_name(info.param); });

TEST(LayerErrors, AcceptedByKeras) {
  EXPECT_EQ(Add()(std::vector<SymbolicTensor>{input({3})}).shape(), (Shape{-1, 3}));
  EXPECT_TRUE(Dense(3).get_weights().empty());
  EXPECT_NO_THROW(BatchNormalization({.momentum = 2.0}));
}

TEST(LayerErrors, AxesOutOfRange) {
  EXPECT_THROW(BatchNormalization({.axis = 3})(zeros({2, 4})), ValueError);
  EXPECT_THROW(LayerNormalization({.axis = 3})(zeros({2, 4})), ValueError);
  EXPECT_THROW(Concatenate({.axis = 4})({input({3, 4}), input({3, 4})}), ValueError);
}

TEST(LayerErrors, EmbeddingOutOfRange) {
  try {
    Embedding(3, 2)(Tensor::from_data<std::int64_t>({1, 2}, {0, 3}));
    FAIL();
  } catch (const InvalidArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find("= 3 is not in [0, 3)"), std::string::npos) << error.what();
  }
}

/// A custom layer whose kernel has three rows, whatever its inputs are.
class ThreeRows final : public LayerImpl {
 public:
  explicit ThreeRows(const std::string& name) : LayerImpl({.name = name}) {}
  std::string class_name() const override { return "ThreeRows"; }
  void build(const std::vector<Shape>&) override { kernel_ = add_weight({.shape = {3, 2}, .name = "kernel"}); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {matmul(inputs[0], kernel_)}; }

 private:
  Variable kernel_;
};

/// A layer around it.
class Around final : public LayerImpl {
 public:
  Around() : LayerImpl({.name = "around"}) {}
  std::string class_name() const override { return "Around"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {inner_(inputs[0])}; }

 private:
  Layer inner_ = track("inner", make_layer<ThreeRows>("inner"));
};

template <class Action>
std::string argument_error(const Action& action) {
  return test::message_of<InvalidArgumentError>(action);
}

TEST(LayerErrors, OfOpsNameTheInnermostLayer) {
  const std::string of_rows = "Matrix size-incompatible: In[0]: [2,5], In[1]: [3,2]";
  EXPECT_EQ(argument_error([] {
              make_layer<ThreeRows>("rows")(zeros({2, 5}));
            }),
            of_rows + " (layer 'rows' of class ThreeRows)");
  EXPECT_EQ(argument_error([] {
              make_layer<Around>()(zeros({2, 5}));
            }),
            of_rows + " (layer 'inner' of class ThreeRows)");
}

TEST(LayerErrors, OfSymbolicCallsHaveNoneForUnknownLengths) {
  EXPECT_EQ(argument_error([] {
              make_layer<Around>()(input({-1, 5}));
            }),
            "Matrix size-incompatible: In[0]: [None,None,5], In[1]: [3,2] (layer 'inner' of class ThreeRows)");
  // 211 is what stands in for an unknown batch.
  EXPECT_EQ(argument_error([] { make_layer<ThreeRows>("rows")(input({211})); }),
            "Matrix size-incompatible: In[0]: [211,211], In[1]: [3,2] (layer 'rows' of class ThreeRows)");
}

TEST(LayerErrors, EmptyTensors) {
  EXPECT_THROW(Dense(3)(Tensor()), ValueError);
  EXPECT_THROW(Dense(3)(SymbolicTensor()), ValueError);
  EXPECT_THROW(Add()(std::vector<Tensor>()), ValueError);
  EXPECT_THROW(Subtract()({zeros({2, 3}), zeros({2, 3}), zeros({2, 3})}), ValueError);
  EXPECT_THROW(Add()({zeros({2, 3}), zeros({4, 3})}), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
