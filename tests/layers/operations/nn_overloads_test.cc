// The functions of keras.ops.nn, core, math and linalg and the activations have overloads for symbolic tensors, which
// give in a model what the functions of tensors give.

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/crossentropy.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/fourier.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/framework/ops/linear_systems.h>
#include <rhyton/framework/ops/normalization.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/core.h>
#include <rhyton/layers/operations/fourier.h>
#include <rhyton/layers/operations/linalg.h>
#include <rhyton/layers/operations/math.h>
#include <rhyton/layers/operations/nn.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::layers::nn_overloads {
namespace {

using Symbols = std::vector<SymbolicTensor>;
using Tensors = std::vector<Tensor>;

SymbolicTensor symbol_of(const Tensor& x) {
  return Input({.shape = x.shape().slice(1, x.rank()), .dtype = std::string(name_of(x.dtype()))});
}

/// The model of `function` gives `expected`, before and after saving, also with an unknown batch.
void expect_outputs(const Tensors& inputs, const std::function<Symbols(const Symbols&)>& function,
                    const Tensors& expected) {
  Symbols symbols;
  for (const Tensor& input : inputs) symbols.push_back(symbol_of(input));
  const models::Model model({.inputs = symbols, .outputs = function(symbols)});
  EXPECT_TRUE(test::same_bits(model.call_many(inputs), expected));
  EXPECT_TRUE(test::same_bits(models::model_from_json(model.to_json()).call_many(inputs), expected));
}

/// One function, called with a tensor and with a symbolic tensor, gives the same.
template <class Function>
void expect_alike(const Tensor& x, Function function) {
  expect_outputs({x}, [&](const Symbols& s) { return Symbols{function(s[0])}; }, {function(x)});
}

Tensor values() { return Tensor::from_data<float>({2, 4}, {-3, -0.75, -0.25, 0, 0.25, 0.5, 0.875, 7}); }
Tensor positive() { return Tensor::from_data<float>({2, 2}, {0.5, 0.25, 0.125, 0.75}); }

TEST(NNOverloads, OfActivations) {
  const Tensor x = values();
  expect_alike(x, [](const auto& t) { return ops::relu(t); });
  expect_alike(x, [](const auto& t) { return ops::leaky_relu(t, 0.1); });
  expect_alike(x, [](const auto& t) { return ops::elu(t, 0.5); });
  expect_alike(x, [](const auto& t) { return ops::gelu(t); });
  expect_alike(x, [](const auto& t) { return ops::gelu(t, false); });
  expect_alike(x, [](const auto& t) { return ops::silu(t); });
  expect_alike(x, [](const auto& t) { return ops::sigmoid(t); });
  expect_alike(x, [](const auto& t) { return ops::softplus(t); });
  expect_alike(x, [](const auto& t) { return ops::softmax(t); });
  expect_alike(x, [](const auto& t) { return ops::softmax(t, 0); });
  expect_alike(x, [](const auto& t) { return ops::log_softmax(t, 0); });
  expect_alike(x, [](const auto& t) { return ops::relu6(t); });
  expect_alike(x, [](const auto& t) { return ops::selu(t); });
  expect_alike(x, [](const auto& t) { return ops::celu(t, 0.5); });
  expect_alike(x, [](const auto& t) { return ops::hard_silu(t); });
  expect_alike(x, [](const auto& t) { return ops::hard_sigmoid(t); });
  expect_alike(x, [](const auto& t) { return ops::log_sigmoid(t); });
  expect_alike(x, [](const auto& t) { return ops::sparse_sigmoid(t); });
  expect_alike(x, [](const auto& t) { return ops::hard_tanh(t); });
  expect_alike(x, [](const auto& t) { return ops::tanh_shrink(t); });
  expect_alike(x, [](const auto& t) { return ops::soft_shrink(t, 0.25); });
  expect_alike(x, [](const auto& t) { return ops::hard_shrink(t); });
  expect_alike(x, [](const auto& t) { return ops::threshold(t, 0.5, -1.0); });
  expect_alike(x, [](const auto& t) { return ops::softsign(t); });
  expect_alike(x, [](const auto& t) { return ops::squareplus(t); });
  expect_alike(x, [](const auto& t) { return ops::sparse_plus(t); });
  expect_alike(x, [](const auto& t) { return ops::sparsemax(t); });
  expect_alike(x, [](const auto& t) { return ops::glu(t); });
}

TEST(NNOverloads, OfTheActivationsOfLayers) {
  const Tensor x = values();
  expect_alike(x, [](const auto& t) { return activations::relu(t); });
  expect_alike(x, [](const auto& t) { return activations::relu(t, 0.25, 1.0, -0.5); });
  expect_alike(x, [](const auto& t) { return activations::leaky_relu(t); });
  expect_alike(x, [](const auto& t) { return activations::elu(t); });
  expect_alike(x, [](const auto& t) { return activations::gelu(t); });
  expect_alike(x, [](const auto& t) { return activations::silu(t); });
  expect_alike(x, [](const auto& t) { return activations::sigmoid(t); });
  expect_alike(x, [](const auto& t) { return activations::softplus(t); });
  expect_alike(x, [](const auto& t) { return activations::softmax(t); });
  expect_alike(x, [](const auto& t) { return activations::softmax(t, {0, 1}); });
  expect_alike(x, [](const auto& t) { return activations::log_softmax(t); });
  expect_alike(x, [](const auto& t) { return activations::log_softmax(t, {0, 1}); });
  const SymbolicTensor symbol = symbol_of(x);
  EXPECT_TRUE(activations::linear(symbol).is_same(symbol));
  EXPECT_EQ(activations::relu(symbol).node()->layer->class_name(), "ReLU");
  EXPECT_EQ(ops::relu(symbol).node()->layer->class_name(), "Relu");
}

TEST(NNOverloads, OfCodesOfClasses) {
  const Tensor x = Tensor::from_data<std::int32_t>({2, 3}, {0, 2, 1, 1, -1, 1});
  expect_alike(x, [](const auto& t) { return ops::one_hot(t, 3, int32); });
  expect_alike(x, [](const auto& t) { return ops::one_hot(t, 3, 1); });
  expect_alike(x, [](const auto& t) { return ops::multi_hot(t, 3); });
}

TEST(NNOverloads, OfNormalization) {
  const Tensor x = values();
  expect_outputs({x},
                 [](const Symbols& s) {
                   const auto [mean, variance] = ops::moments(s[0], {-1}, true);
                   return Symbols{mean, variance};
                 },
                 {ops::moments(x, {-1}, true).mean, ops::moments(x, {-1}, true).variance});
  expect_outputs({x}, [](const Symbols& s) { return Symbols{ops::moments(s[0]).mean}; }, {ops::moments(x).mean});
  expect_alike(x, [](const auto& t) { return ops::normalize(t); });
  expect_alike(x, [](const auto& t) { return ops::normalize(t, 0, 1, 0.5); });

  const Tensor row = Tensor::from_data<float>({4}, {1, 2, 3, 4});
  const auto near = [&](const SymbolicTensor& symbol, const SymbolicTensor& output, const Tensor& expected) {
    test::expect_close_to_largest(models::Model({.inputs = symbol, .outputs = output})(x), expected, 1e-6);
  };
  const SymbolicTensor symbol = symbol_of(x);
  near(symbol, ops::layer_normalization(symbol, row, row, 0.1), ops::layer_normalization(x, row, row, 0.1));
  near(symbol, ops::batch_normalization(symbol, row, row, -1), (x - row) / sqrt(row + 1e-3));
  near(symbol, ops::batch_normalization(symbol, row, row, 1, row, row, 0.5), (x - row) / sqrt(row + 0.5) * row + row);
}

TEST(NNOverloads, OfImages) {
  const Tensor images = Tensor::from_data<float>({1, 3, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 3, 5, 7, 9, 2, 4, 6, 8});
  const Tensor kernel = Tensor::from_data<float>({2, 2, 2, 1}, {1, -1, 2, 0, 3, 1, -2, 4});
  const Conv2DAttributes window = {.padding = Padding::same};
  expect_outputs({images}, [&](const Symbols& s) { return Symbols{ops::conv2d(s[0], kernel, window)}; },
                 {ops::conv2d(images, kernel, window)});
  expect_alike(images, [](const auto& t) { return ops::max_pool2d(t); });
  expect_alike(images, [](const auto& t) { return ops::average_pool2d(t, {.strides = {1, 1}}); });
}

TEST(NNOverloads, OfConvolutionsInGroupsTakeThemAsAnArgument) {
  const Tensor images = test::random_tensor({1, 3, 3, 4}, 1);
  const Tensor kernel = test::random_tensor({2, 2, 2, 6}, 2);
  expect_outputs({images}, [&](const Symbols& s) { return Symbols{ops::conv2d(s[0], kernel, {.groups = 2})}; },
                 {ops::conv2d(images, kernel, {.groups = 2})});
  const std::string message =
      "The number of input channels must match the kernel's input channels. Received: input channels=4, kernel input "
      "channels=2, data_format='channels_last'.";
  EXPECT_EQ(test::message_of<ValueError>([&] { ops::conv2d(symbol_of(images), kernel); }), message);
  for (const char* const operation : {"Conv", "DepthwiseConv"}) {
    EXPECT_EQ(test::message_of<ValueError>([&] {
                layers::operation_output(operation, {symbol_of(images), kernel});
              }),
              message);
  }
  const auto separable = [&] {
    layers::operation_output("SeparableConv", {symbol_of(images), kernel, Tensor::zeros({1, 1, 12, 2})});
  };
  EXPECT_EQ(test::message_of<ValueError>(separable), message);
}

TEST(NNOverloads, OfConvolutionsTakeASymbolicKernel) {
  const SymbolicTensor images = Input({.shape = {3, 3, 1}});
  const SymbolicTensor kernel = Input({.shape = {2, 1, 1}, .batch_size = 2});
  const models::Model model({.inputs = {images, kernel}, .outputs = ops::conv2d(images, kernel)});
  const Tensor result = model(Tensors{Tensor::full({1, 3, 3, 1}, 2.0), Tensor::full({2, 2, 1, 1}, 3.0)});
  EXPECT_EQ(result.to_vector(), std::vector<double>(4, 24.0));
}

TEST(NNOverloads, OfCrossentropies) {
  const Tensor target = Tensor::from_data<float>({2, 2}, {1, 0, 0.25, 0.75});
  const Tensor output = positive();
  const Tensor labels = Tensor::from_data<std::int32_t>({2}, {1, 0});
  const auto expect_near = [](const Tensors& inputs, const auto& function, const Tensor& expected) {
    const Symbols symbols = {symbol_of(inputs[0]), symbol_of(inputs[1])};
    const models::Model model({.inputs = symbols, .outputs = function(symbols[0], symbols[1])});
    test::expect_close_to_largest(model(inputs), expected, 1e-6);
  };
  for (const bool from_logits : {false, true}) {
    expect_near(
        {target, output}, [&](const auto& y, const auto& p) { return ops::binary_crossentropy(y, p, from_logits); },
        losses::binary_crossentropy(expand_dims(target, -1), expand_dims(output, -1), from_logits));
    expect_near(
        {target, output},
        [&](const auto& y, const auto& p) { return ops::categorical_crossentropy(y, p, from_logits); },
        losses::categorical_crossentropy(target, output, from_logits));
    expect_near(
        {labels, output},
        [&](const auto& y, const auto& p) { return ops::sparse_categorical_crossentropy(y, p, from_logits); },
        losses::sparse_categorical_crossentropy(labels, output, from_logits));
  }
}

TEST(NNOverloads, OfCrossentropiesTakeConstantsOnEitherSide) {
  const Tensor target = Tensor::from_data<float>({2, 2}, {1, 0, 0.25, 0.75});
  const Tensor output = positive();
  const Tensor labels = Tensor::from_data<std::int32_t>({2}, {1, 0});
  // The shapes are equal, so that the batch is known.
  const SymbolicTensor symbol = Input({.shape = {2}, .batch_size = 2});
  const SymbolicTensor classes = Input({.shape = {1}, .batch_size = 2, .dtype = "int32"});
  const auto expect_same = [](const SymbolicTensor& x, const SymbolicTensor& y, const Tensor& value,
                              const Tensor& expected) {
    test::expect_close_to_largest(models::Model({.inputs = {x}, .outputs = y})(value), expected, 1e-6);
  };
  expect_same(symbol, ops::binary_crossentropy(target, symbol), output, ops::binary_crossentropy(target, output));
  expect_same(symbol, ops::binary_crossentropy(symbol, output), target, ops::binary_crossentropy(target, output));
  expect_same(symbol, ops::categorical_crossentropy(target, symbol), output,
              ops::categorical_crossentropy(target, output));
  expect_same(symbol, ops::categorical_crossentropy(symbol, output), target,
              ops::categorical_crossentropy(target, output));
  expect_same(symbol, ops::sparse_categorical_crossentropy(labels, symbol), output,
              ops::sparse_categorical_crossentropy(labels, output));
  expect_same(classes, ops::sparse_categorical_crossentropy(classes, output), expand_dims(labels, -1),
              ops::sparse_categorical_crossentropy(labels, output));
}

TEST(NNOverloads, OfCrossentropiesAndNormalizationRefuseShapesAsKerasDoes) {
  const SymbolicTensor rows = Input({.shape = {3}});
  const auto message = [](auto call) { return test::message_of<ValueError>([&] { static_cast<void>(call()); }); };
  EXPECT_EQ(message([&] {
              return ops::binary_crossentropy(Tensor::zeros({2, 3}), rows);
            }),
            "Arguments `target` and `output` must have the same shape. Received: target.shape=(2, 3), "
            "output.shape=(None, 3)");
  EXPECT_EQ(message([&] { return ops::sparse_categorical_crossentropy(Tensor::zeros({2}), rows); }),
            "Arguments `target` and `output` must have the same shape up until the last dimension: target.shape=(2,), "
            "output.shape=(None, 3)");
  EXPECT_EQ(message([&] { return ops::batch_normalization(rows, Tensor::zeros({2}), Tensor::zeros({3}), -1); }),
            "Arguments `mean` must be a vector of length `x.shape[axis]`. Expected: `(3,)`. Received: `(2,)`.");
}

TEST(NNOverloads, OfCrossentropiesStandBesideThoseOfLosses) {
  // Both are seen: each is called by its namespace.
  using namespace rhyton::losses;  // NOLINT(google-build-using-namespace)
  const Tensor target = Tensor::from_data<float>({1, 2}, {1, 0});
  const Tensor output = Tensor::full({1, 2}, 0.5);
  EXPECT_EQ(ops::binary_crossentropy(target, output).shape(), Shape({1, 2}));
  EXPECT_EQ(losses::binary_crossentropy(target, output).shape(), Shape({1}));
  EXPECT_EQ(ops::categorical_crossentropy(target, output).to_vector(),
            losses::categorical_crossentropy(target, output).to_vector());
}

TEST(CoreOverloads, GiveWhatTheFunctionsOfTensorsGive) {
  const Tensor x = values();
  expect_alike(x, [](const auto& t) { return ops::cast(t, int32); });
  expect_alike(x, [](const auto& t) { return ops::stop_gradient(t); });
  expect_outputs(
      {x}, [](const Symbols& s) { return ops::unstack(s[0], 1); }, ops::unstack(x, 1));
  expect_alike(x, [](const auto& t) { return ops::slice(t, {0, 1}, {-1, 2}); });
  const Tensor starts = Tensor::from_data<std::int32_t>({2}, {1, 2});
  expect_alike(x, [&](const auto& t) { return ops::slice(t, starts, {1, 2}); });
  const Tensor block = Tensor::from_data<float>({1, 2}, {5, 6});
  expect_alike(x, [&](const auto& t) { return ops::slice_update(t, {0, 1}, block); });
  expect_alike(x, [&](const auto& t) { return ops::slice_update(t, starts, block); });
  const Tensor places = Tensor::from_data<std::int32_t>({2, 2}, {0, 1, 1, 3});
  const Tensor updates = Tensor::from_data<float>({2}, {5, -6});
  expect_alike(x, [&](const auto& t) { return ops::scatter_update(t, places, updates); });
  expect_alike(x, [&](const auto& t) { return ops::scatter_update(t, places, updates, ScatterReduction::max); });
  expect_alike(places, [&](const auto& t) { return ops::scatter(t, updates, {2, 4}); });
}

TEST(CoreOverloads, UnstackNeedsAKnownLength) {
  const SymbolicTensor x = Input({.shape = {2}});
  const std::string message = test::message_of<ValueError>([&] { ops::unstack(x); });
  EXPECT_NE(message.find("Cannot infer argument `num` from shape (None, 2)."), std::string::npos) << message;
}

TEST(CoreOverloads, SlicesAreNotComparedWithUnknownLengths) {
  const SymbolicTensor x = Input({.shape = {4}});
  EXPECT_EQ(ops::slice(x, {0, 1}, {2000, -1}).shape(), (Shape{2000, 3}));
  EXPECT_EQ(ops::slice(x, {1, 0}, {-1, 2}).shape(), (Shape{-1, 2}));
  EXPECT_THROW(ops::slice(x, {0, 1}, {-1, 4}), ValueError);
  EXPECT_THROW(ops::slice(x, {0}, {1}), ValueError);
}

TEST(MathOverloads, GiveWhatTheFunctionsOfTensorsGive) {
  const Tensor x = positive();
  expect_alike(x, [](const auto& t) { return ops::erf(t); });
  expect_alike(x, [](const auto& t) { return ops::erfc(t); });
  expect_alike(x, [](const auto& t) { return ops::erfinv(t); });
  expect_alike(x, [](const auto& t) { return ops::rsqrt(t); });
  expect_alike(x, [](const auto& t) { return ops::logsumexp(t); });
  expect_alike(x, [](const auto& t) { return ops::logsumexp(t, {1}, true); });
  expect_alike(x, [](const auto& t) { return ops::top_k(t, 1).values; });
  expect_alike(x, [](const auto& t) { return ops::top_k(t, 1).indices; });
  const Tensor ids = Tensor::from_data<std::int32_t>({2}, {1, 1});
  expect_outputs({ids, x}, [](const Symbols& s) { return Symbols{ops::in_top_k(s[0], s[1], 1)}; },
                 {ops::in_top_k(ids, x, 1)});
  expect_alike(x, [&](const auto& t) { return ops::segment_sum(t, ids, 3); });
  expect_alike(x, [&](const auto& t) { return ops::segment_max(t, ids, 3); });
  expect_alike(x, [&](const auto& t) { return ops::segment_min(t, ids, 3); });
  expect_alike(x, [&](const auto& t) { return ops::segment_prod(t, ids, 3); });
}

TEST(MathOverloads, TheNumberOfSegmentsMayDependOnTheIds) {
  const SymbolicTensor x = Input({.shape = {2}});
  const SymbolicTensor ids = Input({.shape = Shape{}, .dtype = "int32"});
  const SymbolicTensor sums = ops::segment_sum(x, ids);
  EXPECT_EQ(sums.shape(), (Shape{-1, 2}));
  const models::Model model({.inputs = {x, ids}, .outputs = sums});
  const Tensor result = model(Tensors{positive(), Tensor::from_data<std::int32_t>({2}, {2, 0})});
  EXPECT_EQ(result.to_vector(), (std::vector<double>{0.125, 0.75, 0, 0, 0.5, 0.25}));
}

TEST(LinalgOverloads, GiveWhatTheFunctionsOfTensorsGive) {
  const Tensor x = values();
  expect_alike(x, [](const auto& t) { return ops::norm(t); });
  expect_alike(x, [](const auto& t) { return ops::norm(t, 1.0, {1}, true); });
  expect_alike(x, [](const auto& t) { return ops::norm(t, std::numeric_limits<double>::infinity(), {1}); });
  expect_alike(x, [](const auto& t) { return ops::norm(t, "fro", {0, 1}); });
  const Tensor matrices = reshape(x, {2, 2, 2});
  expect_outputs({matrices},
                 [](const Symbols& s) {
                   const auto [q, r] = ops::qr(s[0]);
                   return Symbols{q, r};
                 },
                 {ops::qr(matrices).first, ops::qr(matrices).second});
}

TEST(FourierOverloads, GiveWhatTheFunctionsOfTensorsGive) {
  const Tensor x = values();
  expect_alike(x, [](const auto& t) { return ops::fft(std::pair(t, t)).first; });
  expect_alike(x, [](const auto& t) { return ops::fft(std::pair(t, t)).second; });
  expect_alike(reshape(x, {2, 2, 2}), [](const auto& t) { return ops::fft2(std::pair(t, t)).first; });
  expect_alike(reshape(x, {2, 2, 2}), [](const auto& t) { return ops::ifft2(std::pair(t, t)).second; });
  expect_alike(x, [](const auto& t) { return ops::rfft(t).second; });
  expect_alike(x, [](const auto& t) { return ops::irfft(ops::rfft(t, 5), 5); });
  expect_alike(x, [](const auto& t) { return ops::extract_sequences(t, 2, 1); });
  expect_alike(x, [](const auto& t) { return ops::stft(t, 2, 1, 4).first; });
  expect_alike(x, [](const auto& t) { return ops::stft(t, 4, 1, 4, Tensor::full({4}, 1.0), false).second; });
  expect_alike(x, [](const auto& t) { return ops::istft(ops::stft(t, 4, 2, 4), 4, 2, 4, 3, "hamming"); });
}

TEST(LinalgOverloads, OfDecompositionsAndSystems) {
  const Tensor x = Tensor::from_data<float>({2, 2, 2}, {4, 1, 1, 3, 5, 2, 2, 6});
  const Tensor b = Tensor::from_data<float>({2, 2}, {1, 2, 3, 4});
  expect_alike(x, [](const auto& t) { return ops::norm(t, "nuc", {1, 2}); });
  expect_alike(x, [](const auto& t) { return ops::norm(t, 2, {1, 2}, true); });
  expect_alike(x, [](const auto& t) { return ops::qr(t, ops::QrMode::complete).second; });
  expect_alike(x, [](const auto& t) { return ops::cholesky(t, true); });
  expect_alike(x, [](const auto& t) { return ops::cholesky_inverse(t, true); });
  expect_alike(x, [](const auto& t) { return ops::lu_factor(t).lu; });
  expect_alike(x, [](const auto& t) { return ops::lu_factor(t).pivots; });
  expect_alike(x, [](const auto& t) { return ops::eigh(t).eigenvalues; });
  expect_alike(x, [](const auto& t) { return ops::eigh(t).eigenvectors; });
  expect_alike(x, [](const auto& t) { return ops::svd(t).u; });
  expect_alike(x, [](const auto& t) { return ops::svd(t, false).s; });
  expect_alike(x, [](const auto& t) { return ops::svd(t, false).vh; });
  expect_alike(x, [](const auto& t) { return ops::svdvals(t); });
  expect_alike(x, [](const auto& t) { return ops::inv(t); });
  expect_alike(x, [](const auto& t) { return ops::pinv(t, 1e-3); });
  expect_alike(x, [](const auto& t) { return ops::det(t); });
  expect_alike(x, [](const auto& t) { return ops::slogdet(t).sign; });
  expect_alike(x, [](const auto& t) { return ops::slogdet(t).logabsdet; });
  expect_alike(x, [](const auto& t) { return ops::logdet(t); });
  expect_alike(x, [](const auto& t) { return ops::matrix_rank(t, 4.0); });
  expect_alike(x, [&](const auto& t) { return ops::solve(t, b); });
  expect_alike(x, [&](const auto& t) { return ops::solve_triangular(t, b, true); });
  expect_alike(b, [&](const auto& t) { return ops::solve(x, t); });
  expect_alike(b, [&](const auto& t) { return ops::solve_triangular(x, t); });
  expect_alike(b, [&](const auto& t) { return ops::lstsq(b, t, 0.01); });
  expect_alike(b, [&](const auto& t) { return ops::lstsq(t, b); });
}

}  // namespace
}  // namespace rhyton::layers::nn_overloads
