#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/preprocessing/category_encoding.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using Values = std::vector<double>;

Tensor tokens(const Shape& shape, const std::vector<std::int32_t>& values) {
  return Tensor::from_data<std::int32_t>(shape, values);
}

Shape shape_of(const Shape& input, const CategoryEncodingOptions& options) {
  return CategoryEncoding(4, options)(Input({.shape = input, .dtype = "int32"})).shape();
}

TEST(CategoryEncoding, RefusesArgumentsInKerasWords) {
  EXPECT_EQ(message_of<ValueError>([] { CategoryEncoding(4, {.output_mode = "int"}); }),
            "Unknown arg for output_mode: int");
  EXPECT_EQ(message_of<ValueError>([] { CategoryEncoding(0); }), "`num_tokens` must be >= 1. Received: num_tokens=0.");
  EXPECT_EQ(message_of<ValueError>([] { CategoryEncoding(-3); }),
            "`num_tokens` must be >= 1. Received: num_tokens=-3.");
}

TEST(CategoryEncoding, RefusesNegativeTokensInTensorFlowsWords) {
  for (const char* const mode : {"multi_hot", "count"}) {
    const CategoryEncoding layer(4, {.output_mode = mode});
    EXPECT_NE(message_of<InvalidArgumentError>([&] {
                layer(tokens({2}, {0, -1}));
              }).find("Input arr must be non-negative!"),
              std::string::npos);
    EXPECT_NE(message_of<InvalidArgumentError>([&] {
                layer(tokens({1, 2}, {0, -1}));
              }).find("Input 'in' must be non-negative! Negative input value found: -1"),
              std::string::npos);
    // The same in a compiled model.
    const models::Sequential model({Input({.shape = {2}, .dtype = "int32"}), layer});
    EXPECT_NE(message_of<InvalidArgumentError>([&] {
                model.predict(tokens({2, 2}, {0, 1, 2, -5}), {.verbose = 0});
              }).find("Negative input value found: -5"),
              std::string::npos);
  }
}

TEST(CategoryEncoding, RefusesWeightsThatDoNotFit) {
  const CategoryEncoding layer(4, {.output_mode = "count"});
  const auto message = [&](const Tensor& x, const Tensor& weights) {
    return message_of<InvalidArgumentError>([&] { layer(x, {.kwargs = {{"count_weights", weights}}}); });
  };
  const std::string expected =
      "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal to "
      "1. Received ";
  EXPECT_NE(message(tokens({2, 2}, {0, 1, 3, 3}), Tensor::zeros({1, 2})).find(expected + "[1,2]"), std::string::npos);
  EXPECT_NE(message(tokens({2, 2}, {0, 1, 3, 3}), Tensor::zeros({4})).find(expected + "[4]"), std::string::npos);
  EXPECT_NE(message(tokens({}, {1}), Tensor::zeros({})).find(expected + "[]"), std::string::npos);
}

TEST(CategoryEncoding, RefusesWeightsInAnotherMode) {
  const std::string expected =
      "`count_weights` is not used when `output_mode` is not `'count'`. Received `count_weights=";
  const CategoryEncoding layer(4);
  EXPECT_NE(message_of<ValueError>([&] {
              layer(tokens({1, 2}, {0, 1}), {.kwargs = {{"count_weights", Tensor::zeros({1, 2})}}});
            }).find(expected),
            std::string::npos);
  // When the model is made.
  EXPECT_NE(message_of<ValueError>([&] {
              layer(Input({.shape = {2}, .dtype = "int32"}), {.kwargs = {{"count_weights", Input({.shape = {2}})}}});
            }).find(expected),
            std::string::npos);
}

TEST(CategoryEncoding, InfersShapes) {
  for (const char* const mode : {"multi_hot", "count"}) {
    EXPECT_EQ(shape_of({3}, {.output_mode = mode}), (Shape{-1, 4}));
    EXPECT_EQ(shape_of({-1}, {.output_mode = mode}), (Shape{-1, 4}));
    EXPECT_EQ(shape_of({}, {.output_mode = mode}), (Shape{4}));
    // Of axis 1, which is what a call sums; Keras infers the last one.
    EXPECT_EQ(shape_of({2, 3}, {.output_mode = mode}), (Shape{-1, 3, 4}));
  }
  EXPECT_EQ(shape_of({3}, {.output_mode = "one_hot"}), (Shape{-1, 3, 4}));
  EXPECT_EQ(shape_of({1}, {.output_mode = "one_hot"}), (Shape{-1, 4}));
  EXPECT_EQ(shape_of({}, {.output_mode = "one_hot"}), (Shape{-1, 4}));
  EXPECT_EQ(shape_of({-1, 1}, {.output_mode = "one_hot"}), (Shape{-1, -1, 4}));
}

TEST(CategoryEncoding, GivesTheVariableDtypeAndWeightedTheComputeDtype) {
  const CategoryEncoding layer(4, {.output_mode = "count", .dtype = "mixed_float16"});
  EXPECT_EQ(layer(tokens({1, 2}, {0, 1})).dtype(), DType::float32);
  const Tensor weighted = layer(tokens({1, 2}, {1, 1}), {.kwargs = {{"count_weights", Tensor::full({1, 2}, 0.25)}}});
  EXPECT_EQ(weighted.dtype(), DType::float16);
  EXPECT_EQ(weighted.to_vector(), (Values{0, 0.5, 0, 0}));
  const CategoryEncoding bools(3, {.dtype = "bool"});
  EXPECT_EQ(bools(tokens({1, 2}, {0, 2})).dtype(), DType::bool_);
  EXPECT_EQ(bools(tokens({1, 2}, {0, 2})).to_vector(), (Values{1, 0, 1}));
}

TEST(CategoryEncoding, TakesBytesAndLargeIntegers) {
  const CategoryEncoding layer(3, {.output_mode = "count"});
  EXPECT_EQ(layer(Tensor::from_data<std::uint8_t>({1, 3}, {1, 255, 1})).to_vector(), (Values{0, 2, 0}));
  EXPECT_EQ(layer(Tensor::from_data<std::int64_t>({1, 3}, {0, INT64_MAX, 2})).to_vector(), (Values{1, 0, 1}));
}

TEST(CategoryEncoding, WeightsHaveGradients) {
  const Tensor weights = Tensor::from_data<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const Shape& shape : {Shape{2, 3}, Shape{2, 3, 1}}) {
    GradientTape tape;
    const Tensor shaped = reshape(weights, shape);
    tape.watch(shaped);
    const Tensor y = CategoryEncoding(3, {.output_mode = "count"})(reshape(tokens({2, 3}, {0, 2, 0, 7, 1, 2}), shape),
                                                                   {.kwargs = {{"count_weights", shaped}}});
    EXPECT_EQ(y.to_vector(), (Values{4, 0, 2, 0, 5, 6}));
    const Tensor dy = reshape(Tensor::from_data<float>({6}, {1, 2, 3, 4, 5, 6}), y.shape());
    EXPECT_EQ(tape.gradient(y, shaped, dy).to_vector(), (Values{1, 3, 1, 0, 5, 6}));
  }
}

TEST(CategoryEncoding, IsPartOfAModelThatTrains) {
  const SymbolicTensor x = Input({.shape = {3}, .dtype = "int32"});
  const SymbolicTensor weights = Input({.shape = {3}});
  const SymbolicTensor counts =
      CategoryEncoding(5, {.output_mode = "count"})(x, {.kwargs = {{"count_weights", weights}}});
  models::Model model({.inputs = {x, weights}, .outputs = Dense(1)(counts)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor samples = tokens({4, 3}, {0, 1, 2, 3, 4, 0, 1, 1, 1, 2, 2, 9});
  const Tensor given = Tensor::full({4, 3}, 0.5);
  const Tensor y = Tensor::from_data<float>({4, 1}, {1, 2, 3, 4});
  const auto history = model.fit({samples, given}, y, {.batch_size = 2, .epochs = 4, .verbose = 0});
  EXPECT_LT(history.history.at("loss").back(), history.history.at("loss").front());
}

TEST(CategoryEncoding, ConfigComesBack) {
  const auto config_of = [](const Layer& layer) { return deserialize(serialize(layer)).get_config().dump(); };
  EXPECT_EQ(config_of(CategoryEncoding(4, {.output_mode = "count", .name = "c"})),
            R"({"name": "c", "trainable": true, "dtype": "float32", "num_tokens": 4, "output_mode": "count"})");
  const auto from = [](const char* config) { return CategoryEncoding::from_config(io::Json::parse(config, "test")); };
  // As older versions write it.
  EXPECT_EQ(from(R"({"name": "c", "num_tokens": 4, "output_mode": "binary", "sparse": false})").get_config().dump(),
            R"({"name": "c", "trainable": true, "dtype": "float32", "num_tokens": 4, "output_mode": "multi_hot"})");
  EXPECT_THROW(from(R"({"num_tokens": 4, "sparse": true})"), ValueError);
  EXPECT_THROW(from(R"({"output_mode": "count"})"), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
