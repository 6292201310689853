// List arguments with invalid lists: a clear error, never a crash.

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/normalization/layer_normalization.h>
#include <rhyton/layers/preprocessing/rescaling.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/reshape.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using ::testing::HasSubstr;

/// A layer as described in a file, named "c".
Layer from_file(const std::string& class_name, const std::string& arguments) {
  return deserialize(
      io::Json::parse(R"({"class_name": ")" + class_name + R"(", "config": {"name": "c", )" + arguments + "}}"));
}

std::string message_of_file(const std::string& class_name, const std::string& arguments) {
  return message_of<ValueError>([&] { from_file(class_name, arguments); });
}

TEST(ListArguments, BatchNormalizationNormalizesOneAxis) {
  for (const char* axis : {"[]", "[1, 2]", "[-1, -1]"}) {
    const std::string message = message_of_file("BatchNormalization", std::string(R"("axis": )") + axis);
    EXPECT_THAT(message, HasSubstr("The `axis` argument of a BatchNormalization layer must be one integer."));
    EXPECT_THAT(message, HasSubstr("layer 'c'"));
  }
  EXPECT_THAT(message_of_file("BatchNormalization", R"("axis": [1, 2])"), HasSubstr("Received: axis=[1, 2]"));
  // As written by Keras 2.
  const Layer layer = from_file("BatchNormalization", R"("axis": [1])");
  EXPECT_EQ(layer.get_config()["axis"].as_int(), 1);
}

TEST(ListArguments, NormalizationsAndSoftmaxNeedAnAxis) {
  const std::string expected = "The `axis` argument of layer 'c' must be an integer or a list of at least one.";
  EXPECT_THAT(message_of_file("LayerNormalization", R"("axis": [])"), HasSubstr(expected));
  EXPECT_THAT(message_of_file("Softmax", R"("axis": [])"), HasSubstr(expected));
  EXPECT_THAT(message_of<ValueError>([] { LayerNormalization({.axis = std::vector<int>(), .name = "c"}); }),
              HasSubstr(expected));
  EXPECT_THAT(message_of<ValueError>([] { Softmax({.axis = std::vector<int>(), .name = "c"}); }), HasSubstr(expected));
  EXPECT_THAT(message_of<ValueError>([] { activations::softmax(Tensor::zeros({2}), std::vector<int>()); }),
              HasSubstr("axis=[]"));
  EXPECT_THAT(message_of<ValueError>([] { activations::log_softmax(Tensor::zeros({2}), std::vector<int>()); }),
              HasSubstr("axis=[]"));
}

TEST(ListArguments, AnAxisIsNamedOnce) {
  const Tensor x = Tensor::zeros({2, 3, 4});
  const std::string expected = "Axes contain duplicate dimension 2 of input shape (2, 3, 4). Received: axis=";
  // Keras sorts the axes of a LayerNormalization by the values given.
  EXPECT_THAT(message_of<ValueError>([&] {
                LayerNormalization({.axis = {2, -1}})(x);
              }),
              HasSubstr(expected + "[-1, 2]"));
  EXPECT_THAT(message_of<ValueError>([&] { Softmax({.axis = {2, -1}})(x); }), HasSubstr(expected + "[2, -1]"));
}

// A Softmax without an axis is one over the whole batch; the other layers reject it.
TEST(ListArguments, NullIsNoAxis) {
  for (const char* class_name : {"BatchNormalization", "LayerNormalization"}) {
    EXPECT_THAT(message_of_file(class_name, R"("axis": null)"),
                HasSubstr("The `axis` argument of a " + std::string(class_name) +
                          " layer must be an integer or a list of integers. Received: axis=None (layer 'c'"));
  }
}

TEST(ListArguments, AnAxisBeyondIntIsNotCutOff) {
  for (const char* axis : {"4294967297", "[4294967297]", "-4294967297"}) {
    for (const char* class_name : {"BatchNormalization", "LayerNormalization", "Softmax"}) {
      EXPECT_THAT(message_of_file(class_name, std::string(R"("axis": )") + axis), HasSubstr("4294967297"));
    }
  }
}

TEST(ListArguments, RescalingNeedsANumber) {
  const std::string expected = "argument of layer 'c' must be a number or a list of at least one.";
  EXPECT_THAT(message_of_file("Rescaling", R"("scale": [])"), HasSubstr("The `scale` " + expected));
  EXPECT_THAT(message_of_file("Rescaling", R"("scale": 1.0, "offset": [])"), HasSubstr("The `offset` " + expected));
  EXPECT_THAT(message_of<ValueError>([] { Rescaling(std::vector<double>(), {.name = "c"}); }), HasSubstr(expected));
}

TEST(ListArguments, RescalingOfIntegersNeedsIntegers) {
  const Tensor x = Tensor::zeros({2, 3}, int32);
  for (const double scale : {1e300, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THAT(message_of<ValueError>([&] { Rescaling(scale, {.name = "c", .dtype = "int32"})(x); }),
                HasSubstr("of layer 'c' is out of range for dtype int32"));
  }
}

TEST(ListArguments, WindowsHaveAHeightAndAWidth) {
  for (const char* value : {"[]", "[3]", "[3, 3, 3]", "\"3\"", "[[3, 3]]"}) {
    for (const char* argument : {"kernel_size", "strides", "dilation_rate"}) {
      const bool is_kernel = std::string(argument) == "kernel_size";
      const std::string kernel = is_kernel ? "" : R"("kernel_size": 2, )";
      EXPECT_EQ(message_of_file("Conv2D", R"("filters": 1, )" + kernel + '"' + argument + "\": " + value),
                std::string("The `") + argument + "` argument must be a tuple of 2 integers. Received " + argument +
                    "=" + value + " (layer 'c' of class Conv2D)");
    }
    for (const char* class_name : {"MaxPooling2D", "AveragePooling2D"}) {
      for (const char* argument : {"pool_size", "strides"}) {
        EXPECT_THAT(message_of_file(class_name, std::string("\"") + argument + "\": " + value),
                    HasSubstr(std::string("The `") + argument + "` argument must be a tuple of 2 integers."));
      }
    }
  }
}

TEST(ListArguments, ReshapeToSingleNumbersNeedsSuch) {
  const Reshape layer(Shape{});
  EXPECT_EQ(layer(Tensor::zeros({4, 1})).shape(), Shape({4}));
  EXPECT_THAT(message_of<ValueError>([&] {
                layer(Tensor::zeros({4, 3}));
              }),
              HasSubstr("The total size of the tensor must be unchanged. Received: input_shape=(3,), target_shape=()"));
}

/// Every argument of every class with valid and invalid values, called on inputs of every rank: the outcome is a result
/// or an error of this library, not an exception of the standard library.
TEST(ListArguments, WrongValuesOfAnyArgumentAreErrors) {
  const std::map<std::string, std::string> minimal = {
      {"Activation", R"({"activation": "softmax"})"},
      {"AdaptiveAveragePooling1D", R"({"output_size": 2})"},
      {"AdaptiveAveragePooling2D", R"({"output_size": 2})"},
      {"AdaptiveAveragePooling3D", R"({"output_size": 2})"},
      {"AdaptiveMaxPooling1D", R"({"output_size": 2})"},
      {"AdaptiveMaxPooling2D", R"({"output_size": 2})"},
      {"AdaptiveMaxPooling3D", R"({"output_size": 2})"},
      {"AlphaDropout", R"({"rate": 0.5})"},
      {"Bidirectional", R"({"layer": {"class_name": "GRU", "config": {"units": 2}}})"},
      {"CategoryEncoding", R"({"num_tokens": 3})"},
      {"TFDConcat", R"({"axis": -1})"},
      {"CenterCrop", R"({"height": 2, "width": 3})"},
      {"Conv1D", R"({"filters": 2, "kernel_size": 2})"},
      {"Conv1DTranspose", R"({"filters": 2, "kernel_size": 2})"},
      {"Conv2D", R"({"filters": 2, "kernel_size": 2})"},
      {"Conv2DTranspose", R"({"filters": 2, "kernel_size": 2})"},
      {"Conv3D", R"({"filters": 2, "kernel_size": 2})"},
      {"Conv3DTranspose", R"({"filters": 2, "kernel_size": 2})"},
      {"ConvLSTM1D", R"({"filters": 2, "kernel_size": 2})"},
      {"ConvLSTM2D", R"({"filters": 2, "kernel_size": 2})"},
      {"ConvLSTM3D", R"({"filters": 2, "kernel_size": 2})"},
      {"Dense", R"({"units": 2})"},
      {"DepthwiseConv1D", R"({"kernel_size": 2})"},
      {"DepthwiseConv2D", R"({"kernel_size": 2})"},
      {"Discretization", R"({"bin_boundaries": [0.0, 1.0]})"},
      {"Dot", R"({"axes": 1})"},
      {"Dropout", R"({"rate": 0.5})"},
      {"EinsumDense", R"({"equation": "ab,bc->ac", "output_shape": [2]})"},
      {"Embedding", R"({"input_dim": 4, "output_dim": 2})"},
      {"GaussianDropout", R"({"rate": 0.5})"},
      {"GaussianNoise", R"({"stddev": 0.5})"},
      {"GroupQueryAttention", R"({"head_dim": 2, "num_query_heads": 2, "num_key_value_heads": 1})"},
      {"GRU", R"({"units": 2})"},
      {"GRUCell", R"({"units": 2})"},
      {"HashedCrossing", R"({"num_bins": 3})"},
      {"Hashing", R"({"num_bins": 3})"},
      {"InputLayer", R"({"batch_shape": [null, 3]})"},
      {"LSTM", R"({"units": 2})"},
      {"LSTMCell", R"({"units": 2})"},
      {"MaxNumBoundingBoxes", R"({"max_number": 2})"},
      {"MultiHeadAttention", R"({"num_heads": 2, "key_dim": 2})"},
      {"Permute", R"({"dims": [2, 1]})"},
      {"Pipeline", R"({"layers": [{"class_name": "Dense", "config": {"units": 2}}]})"},
      {"RandomBrightness", R"({"factor": 0.2})"},
      {"RandomColorDegeneration", R"({"factor": 0.2})"},
      {"RandomContrast", R"({"factor": 0.2})"},
      {"RandomCrop", R"({"height": 2, "width": 3})"},
      {"RandomHue", R"({"factor": 0.2})"},
      {"RandomPosterization", R"({"factor": 2})"},
      {"RandomRotation", R"({"factor": 0.2})"},
      {"RandomSaturation", R"({"factor": 0.2})"},
      {"RandomSharpness", R"({"factor": 0.2})"},
      {"RandomTranslation", R"({"height_factor": 0.2, "width_factor": 0.1})"},
      {"RandomZoom", R"({"height_factor": 0.2})"},
      {"RepeatVector", R"({"n": 2})"},
      {"Rescaling", R"({"scale": 2.0})"},
      {"Reshape", R"({"target_shape": [-1]})"},
      {"Resizing", R"({"height": 2, "width": 3})"},
      {"ReversibleEmbedding", R"({"input_dim": 4, "output_dim": 2})"},
      {"RNN", R"({"cell": {"class_name": "GRUCell", "config": {"units": 2}}})"},
      {"SeparableConv1D", R"({"filters": 2, "kernel_size": 2})"},
      {"SeparableConv2D", R"({"filters": 2, "kernel_size": 2})"},
      {"SimpleRNN", R"({"units": 2})"},
      {"SimpleRNNCell", R"({"units": 2})"},
      {"SpatialDropout1D", R"({"rate": 0.5})"},
      {"SpatialDropout2D", R"({"rate": 0.5})"},
      {"SpatialDropout3D", R"({"rate": 0.5})"},
      {"SpectralNormalization", R"({"layer": {"class_name": "Dense", "config": {"units": 2}}})"},
      {"StackedRNNCells", R"({"cells": [{"class_name": "GRUCell", "config": {"units": 2}}]})"},
      {"TimeDistributed", R"({"layer": {"class_name": "Dense", "config": {"units": 2}}})"},
  };
  const io::Json wrong = io::Json::parse(
      R"([null, true, 0, -1, 3, 1.5, "a", {}, [], [0], [1], [-1], [7], [1, 1], [0, 0], [1, 2], [-1, -2], [2, 1, 1],
          [1, 2, 3, 4, 5], [null], [null, null], ["a"], [1.5, 1], [[]], [[1, 2]], [[1], [2]],
          [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]])");
  const std::vector<Shape> inputs = {{}, {2}, {2, 3}, {2, 3, 4}, {2, 3, 4, 2}, {2, 3, 2, 2, 2}};
  int made = 0;
  int refused = 0;
  for (const std::string& class_name : serializable_classes()) {
    const auto known = minimal.find(class_name);
    const io::Json base = io::Json::parse(known == minimal.end() ? "{}" : known->second);
    const io::Json whole = deserialize(io::Json::object({{"class_name", class_name}, {"config", base}})).get_config();
    for (const auto& [key, value] : whole.items()) {
      for (const io::Json& replacement : wrong) {
        io::Json config = whole;
        config[key] = replacement;
        io::Json object = io::Json::object({{"class_name", class_name}, {"config", config}});
        SCOPED_TRACE(object.dump());
        const auto attempt = [&](const std::function<void()>& action) {
          try {
            action();
            ++made;
          } catch (const Error&) {
            ++refused;
          } catch (const std::exception& error) {
            ADD_FAILURE() << "not an error of Rhyton: " << error.what();
          }
        };
        attempt([&] { deserialize(object).get_config(); });
        for (const Shape& shape : inputs) {
          const Tensor x = Tensor::zeros(shape);
          attempt([&] { deserialize(object).impl()->invoke({x}, {.training = true}); });
          attempt([&] { deserialize(object).impl()->invoke({x, x}, {}); });
          // Attention, which is called with a query and a value.
          if (!class_name.ends_with("HeadAttention") && !class_name.ends_with("QueryAttention")) continue;
          attempt([&] { deserialize(object).impl()->invoke(CallArguments{.args = {x, x}}, true); });
        }
      }
    }
    // The shapes in a file for which a layer was built.
    for (const io::Json& replacement : wrong) {
      io::Json object = io::Json::object({{"class_name", class_name}, {"config", whole}});
      const io::Json shapes = io::Json::object({{"query_shape", replacement}, {"value_shape", replacement}});
      for (const io::Json& build_config :
           {io::Json::object({{"input_shape", replacement}}), io::Json::object({{"shapes_dict", shapes}})}) {
        object["build_config"] = build_config;
        SCOPED_TRACE(object.dump());
        try {
          deserialize(object).get_config();
        } catch (const Error&) {
          ++refused;
        }
      }
    }
  }
  EXPECT_GT(made, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace rhyton::layers
