// The convolutions, pooling, blocks and images of keras.ops have overloads for symbolic tensors, which give in a model
// what the functions of tensors give, and Keras's messages when the model is built.

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/psnr.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/rms_normalization.h>
#include <rhyton/framework/ops/saturate_cast.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/operations.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::layers::window_overloads {
namespace {

using test::message_of;
using Symbols = std::vector<SymbolicTensor>;
using Tensors = std::vector<Tensor>;

SymbolicTensor symbol_of(const Tensor& x) {
  return Input({.shape = x.shape().slice(1, x.rank()), .dtype = std::string(name_of(x.dtype()))});
}

/// The model of `function` gives what it gives for tensors, before and after saving, and has that shape.
template <class Function>
void expect_alike(const Tensor& x, Function function) {
  const Tensor expected = function(x);
  const SymbolicTensor symbol = symbol_of(x);
  const SymbolicTensor output = function(symbol);
  ASSERT_EQ(output.shape().rank(), expected.rank());
  for (int axis = 0; axis < expected.rank(); ++axis) {
    if (output.shape()[axis] < 0) continue;
    EXPECT_EQ(output.shape()[axis], expected.shape()[axis]) << axis;
  }
  EXPECT_EQ(output.dtype(), expected.dtype());
  const models::Model model({.inputs = symbol, .outputs = output});
  EXPECT_TRUE(test::same_bits(model.call_many({x}), {expected}));
  EXPECT_TRUE(test::same_bits(models::model_from_json(model.to_json()).call_many({x}), {expected}));
}

/// The same where the model computes in another order.
template <class Function>
void expect_close(const Tensor& x, Function function) {
  const Tensor expected = function(x);
  const SymbolicTensor symbol = symbol_of(x);
  const models::Model model({.inputs = symbol, .outputs = function(symbol)});
  test::expect_close_to_largest(model.call_many({x})[0], expected, 1e-6);
  test::expect_close_to_largest(models::model_from_json(model.to_json()).call_many({x})[0], expected, 1e-6);
}

Tensor numbers(const Shape& shape) {
  return cast(reshape(arange(shape.size()), {-1}), DType::float32).reshape(shape) * 0.25F - 3.0F;
}

TEST(WindowOverloads, OfConvolutions) {
  const Tensor kernel = numbers({2, 3, 2, 3});
  expect_alike(numbers({2, 5, 6, 2}), [&](const auto& x) { return ops::conv(x, kernel); });
  expect_alike(numbers({2, 5, 6, 2}), [&](const auto& x) {
    return ops::conv(x, kernel, {.strides = {2, 1}, .padding = "SAME"});
  });
  expect_alike(numbers({2, 2, 5, 6}), [&](const auto& x) {
    return ops::conv(x, kernel, {.data_format = "channels_first", .dilation_rate = 2});
  });
  expect_alike(numbers({2, 4, 5, 6, 2}), [](const auto& x) { return ops::conv(x, numbers({2, 2, 1, 2, 3})); });
  expect_alike(numbers({2, 5, 2}), [](const auto& x) { return ops::depthwise_conv(x, numbers({3, 2, 2})); });
  expect_alike(numbers({2, 5, 6, 2}), [](const auto& x) {
    return ops::separable_conv(x, numbers({2, 2, 2, 2}), numbers({1, 1, 4, 3}), {.padding = "same"});
  });
  for (const std::string padding : {"valid", "same"}) {
    expect_alike(numbers({2, 4, 2}), [&](const auto& x) {
      return ops::conv_transpose(x, numbers({3, 3, 2}), {.strides = 2, .padding = padding});
    });
    expect_alike(numbers({1, 2, 3, 2, 2}), [&](const auto& x) {
      return ops::conv_transpose(x, numbers({2, 2, 3, 1, 2}), {.strides = 3, .padding = padding, .output_padding = 1});
    });
  }
}

TEST(WindowOverloads, OfPooling) {
  expect_alike(numbers({2, 5, 2}), [](const auto& x) { return ops::max_pool(x, 2); });
  expect_alike(numbers({2, 5, 6, 2}), [](const auto& x) {
    return ops::average_pool(x, {3, 2}, {.strides = {1, 2}, .padding = "same"});
  });
  expect_alike(numbers({2, 2, 5, 6, 4}),
               [](const auto& x) { return ops::max_pool(x, 2, {.strides = 1, .data_format = "channels_first"}); });
  expect_alike(numbers({2, 7, 2}), [](const auto& x) { return ops::adaptive_average_pool(x, 3); });
  expect_alike(numbers({2, 5, 6, 2}), [](const auto& x) { return ops::adaptive_max_pool(x, {2, 4}); });
  expect_alike(numbers({2, 2, 5, 6, 4}), [](const auto& x) {
    return ops::adaptive_average_pool(x, {2, 4, 3}, "channels_first");
  });
}

TEST(WindowOverloads, OfBlocksAndFurtherFunctions) {
  expect_alike(numbers({2, 2, 3, 8}), [](const auto& x) { return ops::depth_to_space(x, 2); });
  expect_alike(numbers({2, 1, 4, 6}), [](const auto& x) { return ops::space_to_depth(x, 2, "channels_first"); });
  expect_alike(numbers({2, 2, 5, 6}), [](const auto& x) {
    return ops::unfold(x, {2, 3}, {.dilation = 2, .padding = 1, .stride = {2, 1}});
  });
  expect_alike(numbers({2, 8, 4}), [](const auto& x) { return ops::fold(x, 3, 2); });
  expect_alike(numbers({2, 3}), [](const auto& x) { return ops::psnr(x, numbers({2, 3}) * 0.5F, 2.0); });
  expect_alike(numbers({2, 3}), [](const auto& x) { return ops::rms_normalization(x); });
  expect_alike(numbers({2, 3}), [](const auto& x) {
    return ops::rms_normalization(x, {.scale = numbers({3}), .axis = {0, 1}, .epsilon = 0.5});
  });
  expect_alike(numbers({2, 8}) * 100.0F, [](const auto& x) { return ops::saturate_cast(x, DType::uint8); });
}

TEST(WindowOverloads, OfImages) {
  const Tensor x = numbers({2, 5, 6, 3}) * 0.01F + 0.4F;
  expect_alike(x, [](const auto& t) { return ops::image::rgb_to_grayscale(t); });
  expect_alike(x, [](const auto& t) { return ops::image::rgb_to_hsv(t); });
  expect_alike(x, [](const auto& t) { return ops::image::hsv_to_rgb(t, "channels_last"); });
  expect_alike(x, [](const auto& t) {
    return ops::image::resize(t, {3, 7}, {.interpolation = "bicubic", .antialias = true});
  });
  expect_alike(x, [](const auto& t) {
    return ops::image::resize(t, {4, 4}, {.pad_to_aspect_ratio = true, .fill_value = 0.5});
  });
  expect_alike(x, [](const auto& t) {
    return ops::image::scale_and_translate(t, {2, 7, 6, 3}, Tensor::from_data<float>({1}, {1.25}),
                                           Tensor::from_data<float>({1}, {0.5}), {1}, "linear");
  });
  const Tensor transform = Tensor::from_data<float>({8}, {0.8, -0.5, 1.25, 0.6, 0.75, -1, 0, 0});
  expect_alike(x, [&](const auto& t) {
    return ops::image::affine_transform(t, transform, {.fill_mode = "reflect", .fill_value = 2});
  });
  const Tensor points = Tensor::from_data<float>({4, 2}, {0, 0, 0, 4, 5, 0, 5, 4});
  const Tensor others = Tensor::from_data<float>({4, 2}, {0.5, 0.25, 0.75, 4.5, 4.25, -0.5, 5.5, 3.5});
  expect_alike(x, [&](const auto& t) { return ops::image::perspective_transform(t, points, others); });
  const Tensor coordinates = Tensor::from_data<float>({2, 3}, {0.5, 1, 0.25, 1, 0.75, 2});
  expect_alike(numbers({2, 4}),
               [&](const auto& t) { return ops::image::map_coordinates(t, coordinates, 1, "nearest"); });
  expect_alike(x, [](const auto& t) {
    return ops::image::gaussian_blur(t, {.kernel_size = {3, 5}, .sigma = {1.0, 2.0}});
  });
  expect_alike(x, [](const auto& t) { return ops::image::sobel_edges(t); });
  expect_alike(x, [&](const auto& t) { return ops::image::ssim(t, x * 0.5F, {.filter_size = 3}); });
  expect_alike(x, [](const auto& t) {
    return ops::image::crop_images(t, {.top_cropping = 1, .left_cropping = 2, .target_height = 3, .target_width = 2});
  });
  expect_alike(x, [](const auto& t) {
    return ops::image::pad_images(t, {.top_padding = 1, .left_padding = 2, .bottom_padding = 0, .right_padding = 1});
  });
  expect_alike(x, [](const auto& t) { return ops::image::extract_patches(t, 2, {.strides = {1}}); });
  expect_alike(x, [](const auto& t) { return ops::image::extract_patches(t, {2, 3}, {.padding = "same"}); });
  expect_alike(numbers({2, 3, 4, 5, 1}), [](const auto& t) { return ops::image::extract_patches_3d(t, 2); });
  // No distance: nothing that is drawn matters.
  expect_alike(x, [](const auto& t) { return ops::image::elastic_transform(t, {.alpha = 0.0, .seed = 3}); });
}

TEST(WindowOverloads, WriteWhatKerasWrites) {
  const auto config_of = [](const SymbolicTensor& x, const SymbolicTensor& y) {
    const io::Json json = io::Json::parse(models::Model({.inputs = x, .outputs = y}).to_json());
    const io::Json& entry = json["config"]["layers"][1];
    io::Json config = entry["config"];
    config["name"] = "";
    return entry["module"].as_string() + " " + entry["class_name"].as_string() + " " + config.dump();
  };
  const SymbolicTensor x = Input({.shape = {5, 6, 2}});
  EXPECT_EQ(config_of(x, ops::conv(x, Tensor::zeros({2, 2, 2, 1}), {.strides = 2, .padding = "SAME"})),
            "keras.src.ops.nn Conv {\"name\": \"\", \"strides\": 2, \"padding\": \"same\", \"data_format\": "
            "\"channels_last\", \"dilation_rate\": 1}");
  EXPECT_EQ(config_of(x, ops::conv_transpose(x, Tensor::zeros({2, 2, 1, 2}), {.output_padding = {0, 0}})),
            "keras.src.ops.nn ConvTranspose {\"name\": \"\", \"strides\": 1, \"padding\": \"valid\", "
            "\"output_padding\": [0, 0], \"data_format\": \"channels_last\", \"dilation_rate\": 1}");
  EXPECT_EQ(config_of(x, ops::adaptive_max_pool(x, 2)),
            "keras.src.ops.nn AdaptiveMaxPool {\"name\": \"\", \"output_size\": [2, 2], \"data_format\": "
            "\"channels_last\"}");
  EXPECT_EQ(config_of(x, ops::image::affine_transform(x, Tensor::zeros({8}))),
            "keras.src.ops.image AffineTransform {\"name\": \"\", \"interpolation\": \"bilinear\", \"fill_mode\": "
            "\"constant\", \"fill_value\": 0, \"data_format\": null}");
}

// Keras's ExtractPatches writes no name.
TEST(WindowOverloads, ExtractPatchesIsWrittenWithoutItsName) {
  const SymbolicTensor x = Input({.shape = {5, 6, 2}});
  const models::Model model({.inputs = x, .outputs = ops::image::extract_patches(x, 2)});
  const io::Json json = io::Json::parse(model.to_json());
  EXPECT_EQ(json["config"]["layers"][1]["config"].dump(),
            "{\"size\": [2, 2], \"strides\": [2, 2], \"dilation_rate\": 1, \"padding\": \"valid\", \"data_format\": "
            "\"channels_last\"}");
}

/// The classes of the operations of a model.
std::vector<std::string> classes_of(const SymbolicTensor& x, const SymbolicTensor& y) {
  std::vector<std::string> classes;
  const io::Json json = io::Json::parse(models::Model({.inputs = x, .outputs = y}).to_json());
  for (const io::Json& layer : json["config"]["layers"]) classes.push_back(layer["class_name"].as_string());
  return classes;
}

TEST(WindowOverloads, GroupsAreOperationsThatKerasKnows) {
  const Tensor kernel = numbers({2, 2, 2, 6});
  expect_close(numbers({2, 4, 5, 4}), [&](const auto& x) { return ops::conv2d(x, kernel, {.groups = 2}); });
  const Tensor single = numbers({2, 2, 1, 8});
  expect_close(numbers({2, 4, 5, 4}), [&](const auto& x) {
    return ops::conv2d(x, single, {.strides = {2, 2}, .padding = Padding::same, .groups = 4});
  });
  expect_close(numbers({2, 4, 5, 4}), [&](const auto& x) {
    return ops::conv2d(x, single, {.strides = {2, 1}, .dilation_rate = {1, 1}, .groups = 4});
  });
  const SymbolicTensor x = Input({.shape = {4, 5, 4}});
  using Names = std::vector<std::string>;
  EXPECT_EQ(classes_of(x, ops::conv2d(x, kernel, {.groups = 2})),
            (Names{"InputLayer", "Split", "Conv", "Conv", "Concatenate"}));
  EXPECT_EQ(classes_of(x, ops::conv2d(x, single, {.groups = 4})), (Names{"InputLayer", "DepthwiseConv"}));
  const SymbolicTensor weights = Input({.batch_shape = Shape{2, 2, 2, 6}});
  const models::Model both({.inputs = {x, weights}, .outputs = ops::conv2d(x, weights, {.groups = 2})});
  const Tensor values = numbers({3, 4, 5, 4});
  test::expect_close_to_largest(both.call_many({values, kernel})[0], ops::conv2d(values, kernel, {.groups = 2}), 1e-6);
  EXPECT_THROW(ops::conv2d(x, kernel, {.groups = 3}), ValueError);
  EXPECT_THROW(ops::conv2d(x, kernel, {.groups = 0}), ValueError);
  EXPECT_THROW(ops::conv2d(Input({.shape = {4, 5, -1}}), kernel, {.groups = 2}), ValueError);
}

TEST(WindowOverloads, MessagesAreThoseOfKeras) {
  const SymbolicTensor x = Input({.shape = {3, 3, 4}});
  const auto message = [](auto call) { return message_of<ValueError>([&] { static_cast<void>(call()); }); };
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(
      message([&] {
        return ops::conv(x, Tensor::zeros({4, 2, 4, 1}));
      }),
      "Computed output size would be zero or negative. Received `inputs shape=(None, 3, 3, 4)`, `kernel shape=(4, 2, "
      "4, 1)`, `dilation_rate=[1 1]`, `strides=(1, 1)`, `padding=valid`.");
  contains(message([&] {
             return ops::conv(x, Tensor::zeros({2, 2, 3, 1}));
           }),
           "The number of input channels must match the kernel's input channels. Received: input channels=4, kernel "
           "input channels=3, data_format='channels_last'.");
  contains(message([&] {
             return ops::conv(x, Tensor::zeros({2, 4, 1}));
           }),
           "Kernel shape must have the same length as input, but received kernel of shape (2, 4, 1) and input of shape "
           "(None, 3, 3, 4).");
  contains(message([&] {
             return ops::conv(x, Tensor::zeros({2, 2, 4, 1}), {.padding = "causal"});
           }),
           "`padding` must be either `'valid'` or `'same'`. Received causal");
  contains(message([&] {
             return ops::conv(x, Tensor::zeros({2, 2, 4, 1}), {.dilation_rate = {1, 1, 1}});
           }),
           "Dilation must be None, scalar or tuple/list of length of inputs' spatial shape, but received "
           "`dilation_rate=(1, 1, 1)` and input of shape (None, 3, 3, 4).");
  contains(message([&] { return ops::max_pool(x, 4); }),
           "Computed output size would be zero or negative. Received: `inputs.shape=[None 3 3 4]`, `pool_size=4`, "
           "`strides=4`, `padding=valid`.");
  contains(message([&] {
             return ops::average_pool(x, {2, 4}, {.strides = {1, 2}});
           }),
           "`inputs.shape=[None 3 3 4]`, `pool_size=[2 4]`, `strides=(1, 2)`, `padding=valid`.");
  contains(message([&] { return ops::max_pool(x, 2, {.padding = "causal"}); }),
           "Argument `padding` must be either 'valid' or 'same'. Received: padding=causal");
  contains(message([&] { return ops::max_pool(x, 2, {.data_format = "foo"}); }),
           "The `data_format` argument must be one of {'channels_first', 'channels_last'}. Received: data_format=foo");
  contains(
      message([&] { return ops::image::rgb_to_grayscale(x); }),
      "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). Received input with shape: images.shape=(None, 3, 3, "
      "4)");
  contains(message([&] {
             return ops::image::rgb_to_hsv(Input({.shape = {3, 3, 3}, .dtype = "uint8"}));
           }),
           "Invalid images dtype: expected float dtype. Received: images.dtype=uint8");
  contains(
      message([&] { return ops::image::gaussian_blur(Input({.shape = {3}})); }),
      "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received input with shape: "
      "images.shape=(None, 3)");
  contains(
      message([&] {
        return ops::image::crop_images(
            Input({.shape = {-1, 3, 2}}),
            {.top_cropping = 1, .left_cropping = 1, .bottom_cropping = 1, .right_cropping = 1});
      }),
      "When the height of the images is unknown, `target_height` must be specified.Received images.shape=[None, None, "
      "3, 2] and target_height=None");
  contains(message([&] {
             return ops::image::sobel_edges(Input({.shape = {3, 3}}));
           }),
           "Invalid images rank: expected rank 4 (batch of images). Received: images.shape=[None, 3, 3]");
  contains(message([&] { return ops::depth_to_space(x, 3); }),
           "The number of channels (4) must be divisible by block_size**2 (9).");
  contains(message([&] { return ops::psnr(x, Tensor::zeros({2}), 1.0); }), "Inputs must have the same rank");
}

// An unknown axis stays unknown however long windows and strides are, and alone.
TEST(WindowOverloads, UnknownLengths) {
  const SymbolicTensor x = Input({.shape = {-1, 7, 2}});
  const std::int64_t maximum = std::int64_t{1} << 30;
  EXPECT_EQ(ops::conv(x, Tensor::zeros({2, 3, 2, 5}), {.strides = {maximum, 1}}).shape(), (Shape{-1, -1, 5, 5}));
  EXPECT_EQ(ops::max_pool(x, {maximum, 2}, {.strides = {1, 2}}).shape(), (Shape{-1, -1, 3, 2}));
  EXPECT_EQ(ops::conv_transpose(x, Tensor::zeros({2, 2, 3, 2}), {.strides = {1000, 2}}).shape(),
            (Shape{-1, -1, 14, 3}));
  EXPECT_EQ(ops::adaptive_average_pool(x, {maximum, 3}).shape(), (Shape{-1, maximum, 3, 2}));
  EXPECT_EQ(ops::image::extract_patches(x, {1, 2}, {.strides = {2000, 1}}).shape(), (Shape{-1, -1, 6, 4}));
  EXPECT_EQ(ops::image::rgb_to_grayscale(Input({.shape = {4, 5, -1}})).shape(), (Shape{-1, 4, 5, 1}));
  EXPECT_EQ(
      ops::image::pad_images(x, {.top_padding = 1, .left_padding = 2, .bottom_padding = 1, .right_padding = 3}).shape(),
      (Shape{-1, -1, 12, 2}));
}

}  // namespace
}  // namespace rhyton::layers::window_overloads
