#include <cmath>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/einsum.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/einsum_dense.h>
#include <rhyton/layers/core/einsum_equation.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using AxisList = std::vector<std::int64_t>;

TEST(EinsumEquation, TellsTheShapesOfTheWeights) {
  struct Case {
    std::string equation;
    std::string bias_axes;
    Shape input;
    Shape output;
    Shape kernel;
    Shape bias;
  };
  const std::vector<Case> cases = {
      {"ab,bc->ac", "c", {-1, 3}, {64}, {3, 64}, {64}},
      {"abc,cd->abd", "bd", {-1, 5, 3}, {5, 6}, {3, 6}, {5, 6}},
      {"...x,xy->...y", "y", {-1, 4, 5, 3}, {6}, {3, 6}, {6}},
      {"...x,xy->...y", "y", {-1, 3}, {6}, {3, 6}, {6}},
      {"ab...,bc->ac...", "c", {-1, 3, 4, 5}, {6}, {3, 6}, {6, 1, 1}},
      {"abc,cde->abde", "d", {-1, 5, 3}, {-1, 2, 7}, {3, 2, 7}, {2, 1}},
      {"abc,bd->abcd", "bd", {-1, 3, 4}, {3, 4, 5}, {3, 5}, {3, 1, 5}},
      {"ab,bcb->ac", "c", {-1, 3}, {5}, {3, 5, 3}, {5}},
  };
  for (const Case& each : cases) {
    const EinsumShapes shapes = analyze_einsum(each.equation, each.bias_axes, each.input, each.output);
    EXPECT_EQ(shapes.kernel, each.kernel) << each.equation;
    EXPECT_EQ(shapes.bias, each.bias) << each.equation;
  }
}

TEST(EinsumEquation, TellsTheAxesOfTheKernel) {
  const EinsumShapes shapes = analyze_einsum("abde,dec->abc", std::nullopt, {-1, 5, 3, 4}, {-1, 7});
  EXPECT_EQ(shapes.input_axes, (AxisList{0, 1}));
  EXPECT_EQ(shapes.output_axes, AxisList{2});
  EXPECT_FALSE(shapes.bias.has_value());
}

TEST(EinsumEquation, TellsProductsOfMatrices) {
  const auto product_axes = [](const char* equation, const std::optional<std::string>& bias_axes, const Shape& input,
                               const Shape& output) {
    return analyze_einsum(equation, bias_axes, input, output).product_axes;
  };
  EXPECT_EQ(product_axes("ab,bc->ac", "c", {-1, 3}, {5}), 1);
  EXPECT_EQ(product_axes("...x,xy->...y", "y", {-1, 4, 3}, {6}), 1);
  EXPECT_EQ(product_axes("abc,cde->abde", "de", {-1, 5, 3}, {-1, 1, 7}), 1);
  EXPECT_EQ(product_axes("abcd,cde->abe", "e", {-1, 5, 2, 7}, {-1, 3}), 2);
  // A bias of other axes, axes of the kernel in another order, axes that stay in front of or behind others.
  EXPECT_EQ(product_axes("abc,cde->abde", "d", {-1, 5, 3}, {-1, 2, 7}), 0);
  EXPECT_EQ(product_axes("abc,cd->abd", "bd", {-1, 5, 3}, {5, 6}), 0);
  EXPECT_EQ(product_axes("abde,edc->abc", std::nullopt, {-1, 5, 3, 4}, {-1, 7}), 0);
  EXPECT_EQ(product_axes("abc,cde->abed", "ed", {-1, 5, 3}, {-1, 7, 2}), 0);
  EXPECT_EQ(product_axes("ab...,bc->ac...", "c", {-1, 3, 4}, {6}), 0);
  EXPECT_EQ(product_axes("abc,bd->abcd", std::nullopt, {-1, 3, 4}, {3, 4, 5}), 0);
  EXPECT_EQ(product_axes("ab,bcb->ac", "c", {-1, 3}, {5}), 0);
  EXPECT_EQ(product_axes("bcc,ccd->bd", std::nullopt, {-1, 3, 3}, {5}), 0);
  EXPECT_EQ(product_axes("aab,bc->aac", std::nullopt, {3, 3, 4}, {3, 5}), 0);
  EXPECT_EQ(product_axes("abc,cdd->abdd", std::nullopt, {-1, 3, 4}, {3, 5, 5}), 0);
}

TEST(EinsumDense, AProductOfMatricesIsTheEinsum) {
  const Tensor x = Tensor::from_data(
      {2, 2, 2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 0, -1, -2, -3, 2, 2, 2, 3, 3, 3});
  const EinsumDense layer("abcd,cde->abe", {-1, 4}, {.bias_axes = "e", .bias_initializer = "ones"});
  const Tensor y = layer(x);
  EXPECT_EQ(y.to_vector(), (einsum("abcd,cde->abe", x, layer.weights()[0].value()) + 1.0).to_vector());
}

TEST(EinsumEquation, RefusesWhatDoesNotFit) {
  const auto refusal = [](const char* bias_axes, const Shape& input, const Shape& output) {
    return test::message_of<ValueError>([&] { analyze_einsum("abc,cd->abd", bias_axes, input, output); });
  };
  EXPECT_EQ(refusal("d", {-1, 5}, {-1, 6}),
            "The equation 'abc,cd->abd' needs an input of at least 3 dimensions. Received: input_shape=(None, 5)");
  EXPECT_EQ(refusal("d", {-1, 5, 3}, {-1}),
            "The `output_shape` has too few dimensions for the output 'abd' of the equation. Received: "
            "output_shape=(None,)");
  EXPECT_EQ(refusal("", {-1, 5, 3}, {-1, 6}),
            "The `bias_axes` must be at least one dimension of the output spec 'abd'. Received: bias_axes=''");
  for (const char* equation : {"", ",", "->", "a,b", "a,->a", "...,ab->...b", "ab...,bc->ac", "...ab,bc->ac..."}) {
    EXPECT_THROW(analyze_einsum(equation, std::nullopt, {-1, 3}, {5}), ValueError) << equation;
  }
}

TEST(EinsumDense, TakesIntegersEmptyInputsAndUnknownLengths) {
  const EinsumDense layer("abc,cd->abd", {-1, 6}, {.bias_axes = "d"});
  EXPECT_EQ(layer(Input({.shape = {-1, 3}})).shape(), (Shape{-1, -1, 6}));
  EXPECT_EQ(layer(Tensor::zeros({0, 5, 3})).shape(), (Shape{0, 5, 6}));
  EXPECT_EQ(layer(Tensor::zeros({2, 0, 3})).shape(), (Shape{2, 0, 6}));
  EXPECT_EQ(layer(Tensor::zeros({2, 5, 3}, DType::int32)).dtype(), DType::float32);
  EXPECT_EQ(EinsumDense("ab,b->a", {})(Tensor::zeros({2, 3})).shape(), Shape({2}));
  EXPECT_EQ(EinsumDense("abc,bcd->ad", {0})(Tensor::zeros({2, 3, 4})).shape(), (Shape{2, 0}));
}

// 4 · 50 numbers are summed, so that the limit of "lecun_uniform" is √(3 / 200); by the last two axes it would be √(3 /
// 2000).
TEST(EinsumDense, InitializesByTheAxesOfTheEquation) {
  set_random_seed(3);
  const EinsumDense layer("abde,dec->abc", {-1, 10}, {.kernel_initializer = "lecun_uniform"});
  layer.build({-1, 2, 4, 50});
  const double largest = max(abs(layer.weights()[0].value())).item();
  EXPECT_LE(largest, std::sqrt(3.0 / 200));
  EXPECT_GE(largest, 0.98 * std::sqrt(3.0 / 200));

  const EinsumDense transposed("abc,dc->abd", {-1, 1000}, {.kernel_initializer = "lecun_uniform"});
  transposed.build({-1, 2, 3});
  EXPECT_GE(max(abs(transposed.weights()[0].value())).item(), 0.9);
}

TEST(EinsumDense, ConfigComesBack) {
  const EinsumDense layer("abc,cd->abd", {-1, 6}, {.activation = "relu", .bias_axes = "d", .name = "project"});
  layer.build({-1, 5, 3});
  const Layer read = deserialize(serialize(layer));
  const io::Json config = read.get_config();
  EXPECT_EQ(config["output_shape"].dump(), "[null, 6]");
  EXPECT_EQ(config["equation"].as_string(), "abc,cd->abd");
  EXPECT_EQ(config["bias_axes"].as_string(), "d");
  // Those of the equation are not part of the configuration.
  EXPECT_FALSE(config["kernel_initializer"]["config"].contains("input_axes"));
  EXPECT_EQ(config, layer.get_config());
  EXPECT_EQ(read.weights().at(1).shape(), Shape({6}));
}

}  // namespace
}  // namespace rhyton::layers
