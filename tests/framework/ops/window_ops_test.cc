// Convolutions, pooling and blocks of keras.ops against real Keras, with gradients and what is refused
// (tests/golden/make_window_ops.py), and Keras's messages.

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/adaptive_pooling.h>
#include <rhyton/framework/ops/convolutions.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/psnr.h>
#include <rhyton/framework/ops/rms_normalization.h>
#include <rhyton/framework/ops/saturate_cast.h>
#include <rhyton/framework/ops/space_to_depth.h>
#include <rhyton/framework/ops/unfold.h>
#include <rhyton/framework/ops/window_pooling.h>
#include <rhyton/tests/framework/ops/golden_calls.h>
#include <rhyton/tests/framework/ops/golden_words.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton {
namespace {

using golden::Call;
using golden::Functions;
using golden::Words;
using test::message_of;
using Tensors = std::vector<Tensor>;

ConvOptions conv_options(const Call& c) {
  const Words words(c);
  ConvOptions options;
  words.read("strides", options.strides);
  words.read("padding", options.padding);
  words.read("data_format", options.data_format);
  words.read("dilation_rate", options.dilation_rate);
  return options;
}

Tensors transposed(const Call& c) {
  const Words words(c);
  ConvTransposeOptions options;
  words.read("strides", options.strides);
  words.read("padding", options.padding);
  words.read("output_padding", options.output_padding);
  words.read("data_format", options.data_format);
  words.read("dilation_rate", options.dilation_rate);
  return {conv_transpose(c.tensor(0), c.tensor(1), options)};
}

TEST(WindowOps, Convolutions) {
  golden::compare(
      "convolutions",
      {{"conv", [](const Call& c) { return Tensors{conv(c.tensor(0), c.tensor(1), conv_options(c))}; }},
       {"depthwise_conv",
        [](const Call& c) { return Tensors{depthwise_conv(c.tensor(0), c.tensor(1), conv_options(c))}; }},
       {"separable_conv",
        [](const Call& c) { return Tensors{separable_conv(c.tensor(0), c.tensor(1), c.tensor(2), conv_options(c))}; }},
       {"conv_transpose", &transposed}});
}

/// Argument `i`: a number or a list.
PerAxis numbers(const Call& c, std::size_t i) { return c.is_list(i) ? PerAxis(c.integers(i)) : PerAxis(c.integer(i)); }

std::function<Tensors(const Call&)> of_pool(Tensor (*function)(const Tensor&, const PerAxis&, const PoolOptions&)) {
  return [function](const Call& c) {
    const Words words(c);
    PoolOptions options;
    words.read("strides", options.strides);
    words.read("padding", options.padding);
    words.read("data_format", options.data_format);
    return Tensors{function(c.tensor(0), numbers(c, 1), options)};
  };
}

std::string data_format_of(const Call& c, std::string data_format) {
  Words(c).read("data_format", data_format);
  return data_format;
}

std::function<Tensors(const Call&)> of_adaptive(Tensor (*function)(const Tensor&, const PerAxis&, const std::string&)) {
  return [function](const Call& c) { return Tensors{function(c.tensor(0), numbers(c, 1), data_format_of(c, ""))}; };
}

TEST(WindowOps, Pooling) {
  golden::compare("pooling", {{"max_pool", of_pool(&max_pool)},
                              {"average_pool", of_pool(&average_pool)},
                              {"adaptive_max_pool", of_adaptive(&adaptive_max_pool)},
                              {"adaptive_average_pool", of_adaptive(&adaptive_average_pool)}});
}

std::function<Tensors(const Call&)> of_blocks(Tensor (*function)(const Tensor&, std::int64_t, const std::string&)) {
  return [function](const Call& c) {
    return Tensors{function(c.tensor(0), c.integer(1), data_format_of(c, "channels_last"))};
  };
}

UnfoldOptions unfold_options(const Call& c) {
  const Words words(c);
  UnfoldOptions options;
  words.read("dilation", options.dilation);
  words.read("padding", options.padding);
  words.read("stride", options.stride);
  return options;
}

Tensors rms_normalized(const Call& c) {
  RmsNormOptions options;
  options.axis = c.axes(1);
  if (c.has(2, "y")) options.scale = c.tensor(2);
  double epsilon = -1;
  Words(c).read("epsilon", epsilon);
  if (epsilon >= 0) options.epsilon = epsilon;
  return {rms_normalization(c.tensor(0), options)};
}

TEST(WindowOps, BlocksAndFurtherFunctions) {
  golden::compare(
      "blocks",
      {{"depth_to_space", of_blocks(&depth_to_space)},
       {"space_to_depth", of_blocks(&space_to_depth)},
       {"unfold", [](const Call& c) { return Tensors{unfold(c.tensor(0), numbers(c, 1), unfold_options(c))}; }},
       {"fold",
        [](const Call& c) { return Tensors{fold(c.tensor(0), numbers(c, 1), numbers(c, 2), unfold_options(c))}; }},
       {"psnr", [](const Call& c) { return Tensors{psnr(c.tensor(0), c.tensor(1), std::stod(c.word(2)))}; }},
       {"rms_normalization", &rms_normalized}});
}

TEST(WindowOps, SaturateCast) {
  golden::compare("saturate_cast", {{"saturate_cast", [](const Call& c) {
                                       return Tensors{saturate_cast(c.tensor(0), dtype_from_name(c.word(1)))};
                                     }}});
}

// Keras takes limits for exact there that the dtype of x has not.
TEST(WindowOps, SaturateCastToLimitsThatTheDtypeLacks) {
  const auto cast_to = [](const Tensor& x, DType dtype) {
    const Tensor result = saturate_cast(x, dtype);
    EXPECT_EQ(result.dtype(), dtype);
    return cast(result, is_floating(dtype) ? DType::float64 : DType::int64);
  };
  const auto integers = [](const Tensor& x) {
    const auto elements = x.elements<std::int64_t>();
    return std::vector<std::int64_t>(elements.begin(), elements.end());
  };
  const Tensor numbers = Tensor::from_data<float>({4}, {3e9F, -3e9F, 1e20F, -1e20F});
  constexpr std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  using Integers = std::vector<std::int64_t>;
  EXPECT_EQ(integers(cast_to(numbers, DType::int32)), (Integers{2147483520, -2147483648, 2147483520, -2147483648}));
  EXPECT_EQ(integers(cast_to(numbers, DType::int64)), (Integers{3000000000, -3000000000, 9223371487098961920, least}));
  EXPECT_EQ(integers(cast_to(cast(numbers, DType::bfloat16), DType::int32)),
            (Integers{2139095040, -2147483648, 2139095040, -2147483648}));
  EXPECT_EQ(integers(cast_to(cast(numbers, DType::float64), DType::int64)),
            (Integers{3000000000, -3000000000, 9223372036854774784, least}));
  EXPECT_EQ(cast_to(cast(numbers, DType::bfloat16), DType::float16).to_vector(),
            (std::vector<double>{65280, -65280, 65280, -65280}));
  const Tensor whole = Tensor::from_data<std::int64_t>({3}, {maximum, least, 5});
  for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16}) {
    EXPECT_EQ(cast_to(whole, dtype).to_vector(), (std::vector<double>{std::ldexp(1.0, 63), -std::ldexp(1.0, 63), 5}));
  }
}

TEST(WindowOps, ErrorsAreThoseOfKeras) {
  const Tensor x = Tensor::zeros({1, 3, 3, 4});
  const auto message = [](auto call) { return message_of<ValueError>([&] { static_cast<void>(call()); }); };
  EXPECT_EQ(message([&] {
              return conv(x, Tensor::zeros({4, 2, 4, 1}));
            }),
            "Computed output size would be zero or negative. Received `inputs shape=(1, 3, 3, 4)`, `kernel "
            "shape=(4, 2, 4, 1)`, `dilation_rate=[1 1]`, `strides=(1, 1)`, `padding=valid`.");
  EXPECT_EQ(
      message([&] {
        return conv(x, Tensor::zeros({2, 4, 1}));
      }),
      "Kernel shape must have the same length as input, but received kernel of shape (2, 4, 1) and input of shape "
      "(1, 3, 3, 4).");
  EXPECT_EQ(message([&] {
              return conv(Tensor::zeros({3, 3}), x);
            }),
            "Input rank not supported: 2. Expected values are [3, 4, 5]");
  EXPECT_EQ(message([&] {
              return depthwise_conv(x, Tensor::zeros({2, 2, 3, 1}));
            }),
            "The number of input channels must match the kernel's input channels. Received: input channels=4, kernel "
            "input channels=3, data_format='channels_last'.");
  EXPECT_EQ(message([&] {
              return max_pool(x, {1, 2, 3});
            }),
            "`pool_size` should be of length 1 or 2. Received: pool_size=(1, 2, 3) of length 3");
  EXPECT_EQ(message([&] {
              return adaptive_max_pool(Tensor::zeros({2, 2}), 1);
            }),
            "adaptive_max_pool supports 1D, 2D, or 3D inputs only.");
  EXPECT_EQ(message([&] { return depth_to_space(x, 3); }),
            "The number of channels (4) must be divisible by block_size**2 (9).");
  EXPECT_EQ(message([&] { return space_to_depth(x, 2); }), "Height (3) must be divisible by block_size (2).");
  EXPECT_EQ(message([&] { return space_to_depth(x, 1); }), "`block_size` must be at least 2. Received: block_size=1");
  EXPECT_EQ(message([&] { return unfold(Tensor::zeros({2}), 2); }),
            "Input must be a 4D tensor. Received: input.shape=(2,)");
  EXPECT_EQ(message([&] { return psnr(x, Tensor::zeros({1}), 1.0); }),
            "Input shapes (1, 3, 3, 4) and (1,) must match for PSNR calculation. ");
}

// Where TensorFlow refuses strides with a dilation rate, the result is that of every second window.
TEST(WindowOps, StridesAndDilationTogether) {
  const Tensor x = Tensor::from_data<float>({1, 7, 1}, {1, -2, 3, 5, -7, 11, 13});
  const Tensor kernel = Tensor::from_data<float>({2, 1, 1}, {2, -3});
  const std::vector<double> dense = conv(x, kernel, {.dilation_rate = 2}).to_vector();
  const std::vector<double> sparse = conv(x, kernel, {.strides = 2, .dilation_rate = 2}).to_vector();
  ASSERT_EQ(dense.size(), 5U);
  EXPECT_EQ(sparse, (std::vector<double>{dense[0], dense[2], dense[4]}));
}

TEST(WindowOps, HugeNumbersAreRefused) {
  const Tensor x = Tensor::zeros({1, 3, 3, 4});
  const std::int64_t huge = std::int64_t{1} << 62;
  const Tensor kernel = Tensor::zeros({2, 2, 4, 1});
  EXPECT_THROW(conv(x, kernel, {.dilation_rate = huge}), Error);
  EXPECT_THROW(conv(x, kernel, {.strides = huge}), Error);
  EXPECT_THROW(conv_transpose(x, Tensor::zeros({2, 2, 1, 4}), {.strides = huge}), Error);
  EXPECT_THROW(conv_transpose(x, Tensor::zeros({2, 2, 1, 4}), {.output_padding = huge}), Error);
  EXPECT_THROW(max_pool(x, huge), Error);
  EXPECT_THROW(adaptive_average_pool(x, huge), Error);
  EXPECT_THROW(depth_to_space(x, huge), Error);
  EXPECT_THROW(space_to_depth(x, huge), Error);
  EXPECT_THROW(unfold(x, huge), Error);
  EXPECT_THROW(unfold(x, 2, {.padding = huge}), Error);
  EXPECT_THROW(fold(Tensor::zeros({1, 4, 4}), huge, 2), Error);
}

}  // namespace
}  // namespace rhyton
