// Forms that must compile, and forms that must not.

#include <concepts>
#include <type_traits>

#include <gtest/gtest.h>

#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/average.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/merging/maximum.h>
#include <rhyton/layers/merging/minimum.h>
#include <rhyton/layers/merging/multiply.h>
#include <rhyton/layers/merging/subtract.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/normalization/layer_normalization.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/global_average_pooling1d.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/preprocessing/rescaling.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/layers/reshaping/reshape.h>

namespace rhyton::layers {
namespace {

io::Json config_of(const Layer& layer) { return layer.get_config(); }

TEST(ConstructorForms, Conv2D) {
  EXPECT_EQ(config_of(Conv2D(32, 3))["kernel_size"].dump(), "[3, 3]");
  EXPECT_EQ(config_of(Conv2D(32, {3, 5}))["kernel_size"].dump(), "[3, 5]");
  const Conv2D conv(32, {3, 3}, {.activation = "relu"});
  EXPECT_EQ(config_of(conv)["activation"].as_string(), "relu");
  const Conv2D strided(8, 3, {.strides = 2, .padding = "same"});
  EXPECT_EQ(config_of(strided)["strides"].dump(), "[2, 2]");
  const Conv2D uneven(8, 3, {.strides = {2, 1}, .activation = activations::gelu});
  EXPECT_EQ(config_of(uneven)["strides"].dump(), "[2, 1]");
  EXPECT_EQ(config_of(uneven)["activation"].as_string(), "gelu");
}

TEST(ConstructorForms, Pooling) {
  EXPECT_EQ(config_of(MaxPooling2D(3))["pool_size"].dump(), "[3, 3]");
  EXPECT_EQ(config_of(MaxPooling2D({2, 3}))["pool_size"].dump(), "[2, 3]");
  EXPECT_EQ(config_of(MaxPooling2D())["pool_size"].dump(), "[2, 2]");
  const io::Json config = config_of(MaxPooling2D({.pool_size = 3, .strides = 2}));
  EXPECT_EQ(config["pool_size"].dump(), "[3, 3]");
  EXPECT_EQ(config["strides"].dump(), "[2, 2]");
  EXPECT_EQ(config_of(MaxPooling2D({3, 2}, {.padding = "same"}))["strides"].dump(), "[3, 2]");
  EXPECT_EQ(config_of(AveragePooling2D({2, 2}))["padding"].as_string(), "valid");
  EXPECT_EQ(config_of(AveragePooling2D({.strides = {1, 1}}))["strides"].dump(), "[1, 1]");
}

TEST(ConstructorForms, Dense) {
  const std::size_t runtime = 7;
  EXPECT_EQ(config_of(Dense(10))["units"].as_int(), 10);
  EXPECT_EQ(config_of(Dense(static_cast<int>(runtime)))["units"].as_int(), 7);
  EXPECT_EQ(config_of(Dense(runtime))["units"].as_int(), 7);
  const Dense dense(10, {.activation = [](const Tensor& x) { return x; },
                         .use_bias = false,
                         .kernel_initializer = initializers::RandomNormal({.stddev = 0.1}),
                         .kernel_regularizer = regularizers::L2(0.1),
                         .bias_regularizer = "l1",
                         .name = "mine"});
  EXPECT_EQ(dense.name(), "mine");
}

TEST(ConstructorForms, TheOthers) {
  const Input input({.shape = {28, 28, 1}});
  const SymbolicTensor x = input;
  EXPECT_EQ(x.shape(), (Shape{-1, 28, 28, 1}));
  EXPECT_EQ(SymbolicTensor(Input({.shape = {3}, .batch_size = 4, .dtype = "int32"})).shape(), (Shape{4, 3}));
  EXPECT_EQ(SymbolicTensor(Input({.shape = Shape{}})).shape(), (Shape{-1}));
  const std::vector<Layer> layers = {
      input,
      Flatten(),
      Reshape({4, 7}),
      Reshape({-1}),
      Dropout(0.5),
      Dropout(0.5, {.noise_shape = Shape{-1, 1}, .seed = 3}),
      Activation("relu"),
      Activation(activations::tanh),
      Activation([](const Tensor& t) { return t; }),
      ReLU(),
      ReLU({.max_value = 6.0}),
      Softmax(),
      Softmax({.axis = {1, 2}}),
      BatchNormalization(),
      BatchNormalization({.axis = 1, .momentum = 0.9}),
      LayerNormalization(),
      LayerNormalization({.axis = {1, 2}}),
      LayerNormalization({.axis = 1}),
      Embedding(10, 4),
      Embedding(10, 4, {.embeddings_initializer = "zeros"}),
      Add(),
      Subtract(),
      Multiply(),
      Average(),
      Maximum(),
      Minimum(),
      Concatenate(),
      Concatenate({.axis = 1}),
      Rescaling(1.0 / 255),
      Rescaling({0.5, 0.25}, {.offset = -1.0}),
      Rescaling(2, {.offset = {1.0, 2.0}}),
      GlobalAveragePooling1D(),
      GlobalAveragePooling2D({.keepdims = true}),
  };
  for (const Layer& layer : layers) EXPECT_FALSE(layer.is_empty());
  // A copy of a handle is the same layer.
  const Dense dense(3);
  const Layer same = dense;
  const Dense copy = dense;  // NOLINT(performance-unnecessary-copy-initialization): the copy is what is tested
  EXPECT_TRUE(same.is_same(copy));
}

struct WithMember : Layer {
  int member = 0;
};

template <class L, class... Arguments>
concept MakesLayer = requires(Arguments... arguments) {
  L(arguments...);
};
template <class T>
concept DenseOf = requires(T units) {
  Dense(units);
};
template <class T>
concept Conv2DOf = requires(T filters) {
  Conv2D(filters, 3);
};
template <class T>
concept InputOf = requires {
  Input(T{1, 2, 3});
};

static_assert(DenseOf<int> && DenseOf<std::int64_t> && DenseOf<std::size_t>);
static_assert(!DenseOf<double> && !DenseOf<float> && !DenseOf<const char*>);
static_assert(Conv2DOf<int> && !Conv2DOf<double>);
static_assert(!MakesLayer<Dense> && !MakesLayer<Conv2D, int> && !MakesLayer<Dropout> && !MakesLayer<Embedding, int>);
static_assert(MakesLayer<MaxPooling2D, int> && !MakesLayer<MaxPooling2D, const char*>);
// A shape is given by name only.
static_assert(!std::is_constructible_v<Input, Shape> && !std::is_constructible_v<Input>);
// There are no implicit conversions to layers or options.
static_assert(!std::is_convertible_v<int, Dense> && !std::is_convertible_v<int, MaxPooling2D>);
static_assert(!std::is_convertible_v<int, MaxPooling2DOptions> && !std::is_convertible_v<int, ByName>);
static_assert(!std::is_convertible_v<const char*, Activation>);
static_assert(std::is_convertible_v<Dense, Layer> && !std::is_convertible_v<Layer, Dense>);
static_assert(std::is_convertible_v<Input, SymbolicTensor> && !std::is_convertible_v<Dense, SymbolicTensor>);
static_assert(sizeof(Dense) == sizeof(Layer) && sizeof(Input) == sizeof(Layer) && sizeof(WithMember) != sizeof(Layer));

TEST(ConstructorForms, SizesThatAreNotGivenAreWrittenAsTheyHold) {
  EXPECT_EQ(Conv2D(1, 3, {.strides = {}}).get_config()["strides"].dump(), "[1, 1]");
  EXPECT_EQ(MaxPooling2D(3).get_config()["strides"].dump(), "[3, 3]");
  EXPECT_EQ(MaxPooling2D({.pool_size = {}}).get_config()["pool_size"].dump(), "[1, 1]");
}

}  // namespace
}  // namespace rhyton::layers
