// Layers that pool windows, beyond the cases that are compared with Keras.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/windows.h>
#include <rhyton/layers/pooling/average_pooling1d.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/average_pooling3d.h>
#include <rhyton/layers/pooling/max_pooling1d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling3d.h>
#include <rhyton/tests/layers/golden_cases.h>

namespace rhyton::layers {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

SymbolicTensor pooled(const Shape& shape) { return Input({.shape = shape}); }

/// 0, 1, 2, … with some order.
Tensor mixed(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 1009) / 100;
  return Tensor::from_data(shape, values);
}

TEST(Pooling, TakesTheLargestOrTheMeanOfEachWindow) {
  const Tensor steps = Tensor::from_data<float>({1, 5, 1}, {1, 5, 3, 2, 4});
  EXPECT_EQ(MaxPooling1D()(steps).to_vector(), (Values{5, 3}));
  EXPECT_EQ(MaxPooling1D(2, {.padding = "same"})(steps).to_vector(), (Values{5, 3, 4}));
  EXPECT_EQ(MaxPooling1D(3, {.strides = 1})(steps).to_vector(), (Values{5, 5, 4}));
  EXPECT_EQ(AveragePooling1D(2, {.padding = "same"})(steps).to_vector(), (Values{3, 2.5, 4}));
  const Tensor cube = Tensor::from_data<float>({1, 2, 2, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(MaxPooling3D()(cube).to_vector(), (Values{8}));
  EXPECT_EQ(MaxPooling3D({2, 1, 2})(cube).to_vector(), (Values{6, 8}));
  EXPECT_EQ(AveragePooling3D()(cube).to_vector(), (Values{4.5}));
  EXPECT_EQ(AveragePooling3D({1, 2, 1})(cube).to_vector(), (Values{2, 3, 6, 7}));
}

TEST(Pooling, ChannelsMayBeSecond) {
  const Tensor steps = mixed({2, 3, 7});
  const MaxPooling1D first(3, {.strides = 2, .padding = "same", .data_format = "channels_first"});
  const MaxPooling1D last(3, {.strides = 2, .padding = "same"});
  EXPECT_EQ(first(steps).to_vector(), transpose(last(transpose(steps, {0, 2, 1})), {0, 2, 1}).to_vector());
  EXPECT_EQ(AveragePooling3D(2, {.data_format = "channels_first"})(pooled({3, -1, 5, 6})).shape(),
            (Shape{-1, 3, -1, 2, 3}));
}

TEST(Pooling, LengthsMayBeUnknown) {
  EXPECT_EQ(MaxPooling1D(4)(pooled({-1, 3})).shape(), (Shape{-1, -1, 3}));
  EXPECT_EQ(MaxPooling1D(2)(pooled({5, -1})).shape(), (Shape{-1, 2, -1}));
  EXPECT_EQ(MaxPooling3D(2)(pooled({-1, 5, -1, 2})).shape(), (Shape{-1, -1, 2, -1, 2}));
  EXPECT_EQ(AveragePooling3D({1, 2, 3}, {.padding = "same"})(pooled({4, -1, 7, -1})).shape(),
            (Shape{-1, 4, -1, 3, -1}));
  // Stand-ins for unknown lengths are longer than strides.
  EXPECT_EQ(AveragePooling1D(2, {.strides = 5000})(pooled({-1, 1})).shape(), (Shape{-1, -1, 1}));
  EXPECT_EQ(MaxPooling3D(2, {.strides = 100000})(pooled({-1, -1, -1, 1})).shape(), (Shape{-1, -1, -1, -1, 1}));
}

TEST(Pooling, TakesEmptyBatches) {
  EXPECT_EQ(MaxPooling1D()(Tensor::zeros({0, 4, 2})).shape(), (Shape{0, 2, 2}));
  EXPECT_EQ(AveragePooling3D()(Tensor::zeros({0, 4, 2, 6, 1})).shape(), (Shape{0, 2, 1, 3, 1}));
  EXPECT_EQ(MaxPooling3D()(Tensor::zeros({2, 4, 2, 6, 0})).shape(), (Shape{2, 2, 1, 3, 0}));
}

TEST(Pooling, RefusesWhatDoesNotFitInKerassWords) {
  EXPECT_THAT(
      [] {
        MaxPooling1D(4)(pooled({3, 1}));
      },
      ThrowsMessage<ValueError>(
          HasSubstr("Computed output size would be zero or negative. Received: `inputs.shape=[None 3 1]`, "
                    "`pool_size=[4]`, `strides=(4,)`, `padding=valid`.")));
  EXPECT_THAT(
      [] {
        AveragePooling3D({1, 2, 4}, {.strides = {1, 1, 2}})(pooled({-1, 2, 3, 1}));
      },
      ThrowsMessage<ValueError>(
          HasSubstr("`inputs.shape=[None -1 2 3 1]`, `pool_size=[1 2 4]`, `strides=(1, 1, 2)`, `padding=valid`.")));
  EXPECT_THAT(
      [] {
        MaxPooling3D(2, {.data_format = "channels_first"})(pooled({3, 2, 1, 2}));
      },
      ThrowsMessage<ValueError>(HasSubstr("`inputs.shape=[None 3 2 1 2]`, `pool_size=[2 2 2]`")));
  EXPECT_THAT(
      [] {
        MaxPooling1D()(pooled({3, 3, 1}));
      },
      ThrowsMessage<ValueError>(HasSubstr(
          "is incompatible with the layer: expected ndim=3, found ndim=4. Full shape received: (None, 3, 3, 1)")));
  EXPECT_THAT(
      [] {
        AveragePooling3D()(pooled({3, 3, 1}));
      },
      ThrowsMessage<ValueError>(HasSubstr("expected ndim=5, found ndim=4.")));
  EXPECT_THAT([] { MaxPooling1D(0); }, ThrowsMessage<ValueError>(HasSubstr(
                                           "The `pool_size` argument must be a tuple of 1 integers. Received "
                                           "pool_size=0, including values {0} that do not satisfy `value > 0`")));
  EXPECT_THAT(
      [] {
        MaxPooling3D({2, -1, 2});
      },
      ThrowsMessage<ValueError>(HasSubstr("The `pool_size` argument must be a tuple of 3 integers. Received "
                                          "pool_size=(2, -1, 2), including values {-1}")));
  EXPECT_THAT([] { MaxPooling1D({.data_format = "x"}); }, ThrowsMessage<ValueError>(HasSubstr("data_format=x")));
  EXPECT_THROW(AveragePooling3D({.padding = "causal"}), ValueError);
}

TEST(Pooling, ReadsIntegersAndListsAndWritesLists) {
  const io::Json config = io::Json::parse(R"({"name": "p", "pool_size": 3, "strides": [2, 1, 4], "padding": "SAME"})");
  EXPECT_EQ(MaxPooling3D::from_config(config).get_config().dump(),
            R"({"name": "p", "trainable": true, "dtype": "float32", "pool_size": [3, 3, 3], "padding": "same", )"
            R"("strides": [2, 1, 4], "data_format": "channels_last"})");
  EXPECT_EQ(AveragePooling1D(2, {.name = "q"}).get_config().dump(),
            R"({"name": "q", "trainable": true, "dtype": "float32", "pool_size": [2], "padding": "valid", )"
            R"("strides": [2], "data_format": "channels_last"})");
  EXPECT_EQ(MaxPooling1D({.pool_size = 3, .strides = 1}).get_config()["pool_size"].dump(), "[3]");
  EXPECT_THROW(MaxPooling1D::from_config(io::Json::parse(R"({"pool_size": [2, 2]})")), ValueError);
  EXPECT_THROW(MaxPooling3D::from_config(io::Json::parse(R"({"pool_size": [2, 2]})")), ValueError);
}

TEST(Pooling, LengthsFromFilesAreRefusedByTheLayerWhereTheyAreTooLarge) {
  constexpr std::int64_t huge = (std::int64_t{1} << 62) + 2;
  const Tensor steps = Tensor::zeros({1, 8, 1});
  const Tensor volume = Tensor::zeros({1, 4, 4, 4, 1});
  const auto is_named = [](const char* class_name) {
    return ThrowsMessage<ValueError>(HasSubstr(std::string("(layer 'far' of class ") + class_name + ")"));
  };
  for (const std::int64_t length : {huge, std::int64_t{1} << 31}) {
    const MaxPooling1D largest(length, {.strides = 1, .padding = "same", .name = "far"});
    EXPECT_THAT([&] { largest(steps); }, is_named("MaxPooling1D"));
    const AveragePooling1D strided(2, {.strides = length, .name = "far"});
    EXPECT_THAT([&] { strided(steps); }, is_named("AveragePooling1D"));
    const AveragePooling3D deep({length, 1, 1}, {.strides = 1, .padding = "same", .name = "far"});
    EXPECT_THAT([&] { deep(volume); }, is_named("AveragePooling3D"));
    const MaxPooling3D wide({1, 1, length}, {.strides = 1, .padding = "same", .name = "far"});
    EXPECT_THAT([&] { wide(volume); }, is_named("MaxPooling3D"));
  }
  constexpr std::int64_t longest = (std::int64_t{1} << 30) - 1;
  EXPECT_EQ(AveragePooling3D(longest, {.strides = 1, .padding = "same"})(volume).to_vector(), volume.to_vector());
  EXPECT_EQ(MaxPooling1D(longest, {.strides = 1, .padding = "same"})(steps).to_vector(), steps.to_vector());
}

TEST(Pooling, OneAxisIsPooledLikeAnImageOfOneRow) {
  const Tensor x = mixed({2, 9, 5});
  const Tensor image = expand_dims(x, 1);
  for (const char* const padding : {"valid", "same"}) {
    for (const int size : {1, 2, 3, 5}) {
      for (const int stride : {1, 2, 4}) {
        EXPECT_EQ(MaxPooling1D(size, {.strides = stride, .padding = padding})(x).to_vector(),
                  MaxPooling2D({1, size}, {.strides = {1, stride}, .padding = padding})(image).to_vector());
        EXPECT_EQ(AveragePooling1D(size, {.strides = stride, .padding = padding})(x).to_vector(),
                  AveragePooling2D({1, size}, {.strides = {1, stride}, .padding = padding})(image).to_vector());
      }
    }
  }
}

TEST(Pooling, TheFirstOfEqualValuesGetsTheGradient) {
  const auto gradient = [](const Layer& layer, const Shape& shape) {
    GradientTape tape;
    const Tensor x = Tensor::zeros(shape);
    tape.watch(x);
    return tape.gradient(layer(x), x).to_vector();
  };
  EXPECT_EQ(gradient(MaxPooling1D(), {1, 4, 1}), (Values{1, 0, 1, 0}));
  EXPECT_EQ(gradient(MaxPooling1D(3, {.strides = 1, .padding = "same"}), {1, 4, 1}), (Values{2, 1, 1, 0}));
  EXPECT_EQ(gradient(MaxPooling3D(), {1, 2, 2, 2, 1}), (Values{1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(gradient(MaxPooling3D(2, {.strides = 1, .padding = "same"}), {1, 2, 2, 2, 1}),
            (Values{1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(Pooling, IsDifferentiableTwice) {
  const std::vector<std::pair<Layer, Tensor>> calls = {
      {MaxPooling1D(3, {.strides = 2}), mixed({2, 7, 2})},
      {AveragePooling1D(3, {.strides = 2, .padding = "same"}), mixed({2, 7, 2})},
      {MaxPooling3D(2), mixed({1, 4, 2, 4, 2})},
      {AveragePooling3D(2, {.strides = 1, .padding = "same"}), mixed({1, 3, 2, 4, 2})}};
  for (const auto& call : calls) {
    const Layer& layer = call.first;
    const Tensor& x = call.second;
    // Of f(x) = sum(pool(x) ** 3): the second derivative along the gradient g is 6 pool(x) J g, transposed with J.
    GradientTape outer;
    outer.watch(x);
    Tensor gradient;
    Tensor y;
    {
      GradientTape inner;
      inner.watch(x);
      y = layer(x);
      gradient = inner.gradient(multiply(multiply(y, y), y), x);
    }
    const Tensor second = outer.gradient(gradient, x);
    // The sum of the rows of the Hessian, by differences.
    const double step = 1e-2;
    const auto gradient_at = [&](double offset) {
      GradientTape tape;
      const Tensor moved = add(x, offset);
      tape.watch(moved);
      const Tensor pooled = layer(moved);
      return tape.gradient(multiply(multiply(pooled, pooled), pooled), moved);
    };
    const Tensor expected = divide(subtract(gradient_at(step), gradient_at(-step)), 2 * step);
    test::expect_close(second, expected, 1e-3, layer.name());
  }
}

TEST(Pooling, TheLargestOfIntegersIsAnInteger) {
  const Tensor images = Tensor::from_data<std::uint8_t>({1, 2, 4, 1}, {3, 250, 7, 8, 255, 0, 9, 1});
  const Tensor largest = MaxPooling2D({2, 2})(images);
  EXPECT_EQ(largest.dtype(), DType::uint8);
  EXPECT_EQ(largest.to_vector(), (Values{255, 9}));
  EXPECT_EQ(MaxPooling2D({2, 2})(Input({.shape = {4, 4, 3}, .dtype = "uint8"})).dtype(), DType::uint8);
  EXPECT_EQ(max_pool(Input({.shape = {4, 3}, .dtype = "int32"}), 2).dtype(), DType::int32);
  EXPECT_THROW(AveragePooling2D({2, 2})(images), InvalidArgumentError);
}

TEST(Pooling, FollowsTheDtypePolicy) {
  EXPECT_EQ(MaxPooling1D({.dtype = "mixed_float16"})(Tensor::zeros({1, 4, 2})).dtype(), DType::float16);
  const Tensor mean = AveragePooling3D({.dtype = "mixed_bfloat16"})(Tensor::full({1, 2, 2, 2, 3}, 1.5));
  EXPECT_EQ(mean.dtype(), DType::bfloat16);
  EXPECT_EQ(mean.to_vector(), (Values{1.5, 1.5, 1.5}));
  EXPECT_EQ(MaxPooling3D({.dtype = "float64"})(pooled({2, 2, 2, 1})).dtype(), DType::float64);
}

}  // namespace
}  // namespace rhyton::layers
