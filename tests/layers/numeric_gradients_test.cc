// The gradients of every layer in float64 compared with finite differences.

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/attention/additive_attention.h>
#include <rhyton/layers/attention/attention.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/einsum_dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/average.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/merging/dot.h>
#include <rhyton/layers/merging/maximum.h>
#include <rhyton/layers/merging/minimum.h>
#include <rhyton/layers/merging/multiply.h>
#include <rhyton/layers/merging/subtract.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/normalization/group_normalization.h>
#include <rhyton/layers/normalization/layer_normalization.h>
#include <rhyton/layers/normalization/rms_normalization.h>
#include <rhyton/layers/normalization/spectral_normalization.h>
#include <rhyton/layers/normalization/unit_normalization.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/global_average_pooling1d.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/preprocessing/rescaling.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/layers/reshaping/permute.h>
#include <rhyton/layers/reshaping/repeat_vector.h>
#include <rhyton/layers/reshaping/reshape.h>
#include <rhyton/layers/rnn/gru.h>
#include <rhyton/layers/rnn/gru_cell.h>
#include <rhyton/layers/rnn/lstm.h>
#include <rhyton/layers/rnn/lstm_cell.h>
#include <rhyton/layers/rnn/rnn.h>
#include <rhyton/layers/rnn/simple_rnn.h>
#include <rhyton/layers/rnn/stacked_rnn_cells.h>
#include <rhyton/layers/rnn/time_distributed.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

struct Case {
  std::string name;
  Layer layer;
  std::vector<Shape> inputs;
  bool training = false;
};

std::vector<Case> make_cases() {
  const std::string f64 = "float64";
  return {
      {"dense", Dense(3, {.activation = "tanh", .dtype = f64}), {{2, 4}}},
      {"dense_rank_3", Dense(3, {.activation = "softmax", .dtype = f64}), {{2, 1, 4}}},
      {"dense_one", Dense(1, {.dtype = f64}), {{1, 1}}},
      {"simple_rnn", SimpleRNN(3, {.return_sequences = true, .dtype = f64}), {{2, 4, 3}}},
      {"lstm", LSTM(3, {.go_backwards = true, .dtype = f64}), {{2, 4, 3}}},
      {"lstm_softsign", LSTM(2, {.activation = "softsign", .return_sequences = true, .dtype = f64}), {{2, 3, 3}}},
      {"gru", GRU(3, {.return_sequences = true, .dtype = f64}), {{2, 4, 3}}},
      {"gru_reset_before", GRU(3, {.reset_after = false, .dtype = f64}), {{2, 4, 3}}},
      {"stacked_rnn_cells",
       RNN(StackedRNNCells({LSTMCell(2, {.dtype = f64}), GRUCell(3, {.dtype = f64})}, {.dtype = f64}),
           {.return_sequences = true, .dtype = f64}),
       {{2, 3, 3}}},
      {"conv2d", Conv2D(3, {2, 3}, {.activation = "sigmoid", .dtype = f64}), {{2, 4, 5, 2}}},
      {"conv2d_same", Conv2D(2, 3, {.strides = {2, 1}, .padding = "same", .dtype = f64}), {{1, 5, 4, 3}}},
      {"conv2d_dilated", Conv2D(2, 2, {.dilation_rate = 2, .dtype = f64}), {{1, 4, 5, 1}}},
      {"conv2d_groups", Conv2D(4, 2, {.groups = 2, .dtype = f64}), {{1, 3, 3, 4}}},
      {"conv2d_channels_first",
       Conv2D(2, 2, {.data_format = "channels_first", .activation = "softmax", .dtype = f64}),
       {{1, 3, 3, 4}}},
      {"conv2d_1x1", Conv2D(2, 1, {.dtype = f64}), {{2, 1, 1, 3}}},
      {"average_pooling2d", AveragePooling2D({2, 2}, {.padding = "same", .dtype = f64}), {{2, 3, 5, 2}}},
      {"max_pooling2d", MaxPooling2D({2, 2}, {.strides = {1, 2}, .dtype = f64}), {{2, 3, 4, 2}}},
      {"global_average_pooling1d", GlobalAveragePooling1D({.dtype = f64}), {{2, 3, 4}}},
      {"global_average_pooling2d", GlobalAveragePooling2D({.keepdims = true, .dtype = f64}), {{2, 3, 2, 4}}},
      {"flatten", Flatten({.data_format = "channels_first", .dtype = f64}), {{2, 3, 2, 2}}},
      {"reshape", Reshape({4, -1}, {.dtype = f64}), {{2, 3, 4}}},
      {"repeat_vector", RepeatVector(3, {.dtype = f64}), {{2, 4}}},
      {"permute", Permute({3, 1, 2}, {.dtype = f64}), {{2, 3, 2, 4}}},
      {"dropout", Dropout(0.0, {.dtype = f64}), {{2, 3}}, true},
      {"activation", Activation("gelu", {.dtype = f64}), {{2, 3}}},
      {"relu", ReLU({.max_value = 0.5, .negative_slope = 0.25, .dtype = f64}), {{3, 4}}},
      {"softmax", Softmax({.axis = {1, 2}, .dtype = f64}), {{2, 3, 2}}},
      {"batch_normalization", BatchNormalization({.dtype = f64}), {{4, 3}}, true},
      {"batch_normalization_inference", BatchNormalization({.dtype = f64}), {{4, 3}}},
      {"batch_normalization_axis_1", BatchNormalization({.axis = 1, .dtype = f64}), {{2, 3, 2, 2}}, true},
      {"layer_normalization", LayerNormalization({.dtype = f64}), {{3, 4}}},
      {"layer_normalization_axes", LayerNormalization({.axis = {1, 2}, .dtype = f64}), {{2, 3, 4}}},
      {"rms_normalization", RMSNormalization({.dtype = f64}), {{3, 4}}},
      {"rms_normalization_axes", RMSNormalization({.axis = {1, 2}, .dtype = f64}), {{2, 3, 4}}},
      {"unit_normalization", UnitNormalization({.dtype = f64}), {{3, 4}}},
      {"unit_normalization_axes", UnitNormalization({.axis = {1, 2}, .dtype = f64}), {{2, 3, 4}}},
      {"group_normalization", GroupNormalization({.groups = 2, .dtype = f64}), {{2, 3, 4}}},
      {"group_normalization_axis_1", GroupNormalization({.groups = -1, .axis = 1, .dtype = f64}), {{2, 3, 2, 2}}},
      {"einsum_dense",
       EinsumDense("abc,cde->abde", {-1, 2, 3}, {.activation = "tanh", .bias_axes = "de", .dtype = f64}),
       {{2, 3, 2}}},
      {"einsum_dense_ellipsis", EinsumDense("...x,xy->...y", {3}, {.bias_axes = "y", .dtype = f64}), {{2, 3, 4}}},
      {"spectral_normalization",
       SpectralNormalization(Dense(3, {.activation = "tanh", .dtype = f64}), {.dtype = f64}),
       {{2, 4}}},
      {"time_distributed",
       TimeDistributed(Dense(3, {.activation = "tanh", .dtype = f64}), {.dtype = f64}),
       {{2, 3, 4}}},
      {"time_distributed_batch_normalization",
       TimeDistributed(BatchNormalization({.dtype = f64}), {.dtype = f64}),
       {{4, 2, 3}},
       true},
      {"attention", Attention({.use_scale = true, .dtype = f64}), {{2, 3, 2}, {2, 4, 2}}},
      {"attention_with_key", Attention({.dtype = f64}), {{2, 3, 2}, {2, 4, 3}, {2, 4, 2}}},
      {"attention_concat",
       Attention({.use_scale = true, .score_mode = "concat", .dtype = f64}),
       {{2, 3, 2}, {2, 4, 2}}},
      {"additive_attention", AdditiveAttention({.dtype = f64}), {{2, 3, 2}, {2, 4, 2}}},
      {"dot", Dot(1, {.dtype = f64}), {{3, 4}, {3, 4}}},
      {"dot_sequences", Dot({1, 2}, {.normalize = true, .dtype = f64}), {{2, 3, 2}, {2, 4, 3}}},
      {"add", Add({.dtype = f64}), {{2, 3, 4}, {2, 1, 4}, {2, 4}}},
      {"subtract", Subtract({.dtype = f64}), {{2, 3}, {2, 3}}},
      {"multiply", Multiply({.dtype = f64}), {{2, 3}, {2, 1}}},
      {"average", Average({.dtype = f64}), {{2, 3}, {2, 3}, {2, 3}}},
      {"maximum", Maximum({.dtype = f64}), {{2, 3}, {2, 3}}},
      {"minimum", Minimum({.dtype = f64}), {{2, 3}, {2, 3}}},
      {"concatenate", Concatenate({.axis = 1, .dtype = f64}), {{2, 3, 2}, {2, 1, 2}}},
      {"rescaling", Rescaling({2.0, 0.5}, {.offset = 1.0, .dtype = f64}), {{3, 2}}},
  };
}

/// The weighted sum of the outputs, with different weights for all elements.
Tensor weighted_sum(const Layer& layer, const std::vector<Tensor>& inputs, bool training, const Tensor& weights) {
  const Tensor y = layer.impl()->invoke(inputs, {.training = training})[0];
  return sum(multiply(reshape(y, {-1}), slice(weights, {0}, {y.size()})));
}

Tensor with_element(const Tensor& tensor, std::int64_t element, double change) {
  Tensor result = tensor.clone();
  result.mutable_data<double>()[element] += change;
  return result;
}

class NumericGradients : public ::testing::TestWithParam<std::size_t> {};

TEST_P(NumericGradients, Agree) {
  Case test = make_cases()[GetParam()];
  const Layer& layer = test.layer;
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < test.inputs.size(); ++i) {
    inputs.push_back(test::random_tensor(test.inputs[i], 10 + i, -1, 1, DType::float64));
  }
  layer.impl()->invoke(inputs);
  for (std::size_t i = 0; i < layer.weights().size(); ++i) {
    layer.weights()[i].assign(test::random_tensor(layer.weights()[i].shape(), 20 + i, 0.5, 1.5, DType::float64));
  }
  const Tensor weights = test::random_tensor({1000}, 5, -1, 1, DType::float64);

  GradientTape tape({.persistent = true});
  for (const Tensor& input : inputs) tape.watch(input);
  const Tensor target = weighted_sum(layer, inputs, test.training, weights);
  tape.stop_recording();
  const std::vector<Variable> trained = layer.trainable_weights();
  const std::vector<Tensor> input_gradients = tape.gradient(target, inputs);
  const std::vector<Tensor> weight_gradients = tape.gradient(target, trained);
  const double step = 1e-6;
  const double tolerance = 1e-7;

  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& gradient = input_gradients[i];
    ASSERT_EQ(gradient.shape(), inputs[i].shape());
    for (std::int64_t element = 0; element < inputs[i].size(); ++element) {
      std::vector<Tensor> moved = inputs;
      moved[i] = with_element(inputs[i], element, step);
      const double above = weighted_sum(layer, moved, test.training, weights).item();
      moved[i] = with_element(inputs[i], element, -step);
      const double below = weighted_sum(layer, moved, test.training, weights).item();
      EXPECT_NEAR(gradient.to_vector()[static_cast<std::size_t>(element)], (above - below) / (2 * step), tolerance)
          << test.name << ", input " << i << ", element " << element;
    }
  }
  for (std::size_t i = 0; i < trained.size(); ++i) {
    const Variable& weight = trained[i];
    const Tensor& gradient = weight_gradients[i];
    const Tensor value = weight.value();
    for (std::int64_t element = 0; element < value.size(); ++element) {
      weight.assign(with_element(value, element, step));
      const double above = weighted_sum(layer, inputs, test.training, weights).item();
      weight.assign(with_element(value, element, -step));
      const double below = weighted_sum(layer, inputs, test.training, weights).item();
      weight.assign(value);
      EXPECT_NEAR(gradient.to_vector()[static_cast<std::size_t>(element)], (above - below) / (2 * step), tolerance)
          << test.name << ", " << weight.path() << ", element " << element;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, NumericGradients, ::testing::Range<std::size_t>(0, make_cases().size()),
                         [](const auto& info) { return make_cases()[info.param].name; });

TEST(NumericGradients, EmbeddingRows) {
  const Embedding layer(4, 2, {.dtype = "float64"});
  const Tensor indices = Tensor::from_data<std::int32_t>({2, 2}, {1, 3, 1, 0});
  GradientTape tape;
  const Tensor y = layer(indices);
  EXPECT_EQ(tape.gradient(y, layer.weights()[0]).to_vector(), (std::vector<double>{1, 1, 2, 2, 0, 0, 1, 1}));
}

}  // namespace
}  // namespace rhyton::layers
