#include <rhyton/framework/ops/scaled_conv.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/ops/kernel_checks.h>

namespace rhyton::scaled_conv_tests {
namespace {

using test::expect_near;
using test::KernelHarness;
using test::random_tensor;
using test::run_kernel;
using test::to_dtype;
using test::tolerance;

constexpr Padding same = Padding::same;

struct Case {
  Shape x;
  Shape kernel;
  Conv2DAttributes window;
  ConvAlgorithm algorithm = ConvAlgorithm::direct;

  std::string text() const { return x.to_string() + " " + kernel.to_string() + " " + window.to_string(); }
};

std::vector<Case> cases() {
  return {
      {.x = {2, 6, 5, 3}, .kernel = {3, 3, 3, 5}, .window = {}},
      {.x = {2, 7, 7, 4}, .kernel = {1, 1, 4, 100}, .window = {}},
      {.x = {1, 20, 20, 8}, .kernel = {3, 3, 8, 33}, .window = {.padding = same}},
      {.x = {2, 7, 8, 2}, .kernel = {3, 2, 2, 3}, .window = {.strides = {2, 3}, .padding = same}},
      {.x = {2, 5, 5, 4}, .kernel = {3, 3, 2, 6}, .window = {.padding = same, .groups = 2}},
      // Depthwise: whole registers, further channels, several filters of a channel.
      {.x = {2, 9, 9, 32}, .kernel = {3, 3, 1, 32}, .window = {.padding = same, .groups = 32}},
      {.x = {1, 9, 9, 21}, .kernel = {3, 3, 1, 21}, .window = {.strides = {2, 2}, .padding = same, .groups = 21}},
      {.x = {2, 6, 6, 5}, .kernel = {3, 3, 1, 10}, .window = {.groups = 5}},
      {.x = {2, 13, 11, 32},
       .kernel = {3, 3, 32, 37},
       .window = {.padding = same},
       .algorithm = ConvAlgorithm::winograd},
      {.x = {2, 16, 16, 32},
       .kernel = {3, 3, 32, 32},
       .window = {.padding = same},
       .algorithm = ConvAlgorithm::fast_winograd},
  };
}

double activated(Epilogue activation, double value) {
  if (activation != Epilogue::none) value = std::max(0.0, value);
  return activation == Epilogue::relu6 ? std::min(6.0, value) : value;
}

TEST(ScaledConv2D, IsAConvolutionTimesAFactorPlusAnOffset) {
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.text());
    const Tensor x = random_tensor(test.x, float64, 1);
    const Tensor kernel = random_tensor(test.kernel, float64, 2);
    // Wide enough for values below 0 and above 6.
    const Tensor factor = random_tensor({test.kernel[3]}, float64, 3) * 12.0;
    const Tensor offset = random_tensor({test.kernel[3]}, float64, 4) + 2.0;
    const std::vector<double> sums = run_kernel(Conv2DOp(test.window), {x, kernel}).to_vector();
    const std::vector<double> factors = factor.to_vector();
    const std::vector<double> offsets = offset.to_vector();
    for (const Epilogue activation : {Epilogue::none, Epilogue::relu, Epilogue::relu6}) {
      SCOPED_TRACE(std::string(name_of(activation)));
      std::vector<double> expected = sums;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::size_t channel = i % factors.size();
        expected[i] = activated(activation, expected[i] * factors[channel] + offsets[channel]);
      }
      const ScaledConv2DOp op(activation, test.window, test.algorithm);
      for (const DType dtype : {float32, float64}) {
        if (dtype == float64 && test.algorithm != ConvAlgorithm::direct) continue;
        const std::vector<Tensor> inputs = {to_dtype(x, dtype), to_dtype(kernel, dtype), to_dtype(factor, dtype),
                                            to_dtype(offset, dtype)};
        const double allowed = 100.0 * tolerance(dtype);
        KernelHarness whole(op, inputs);
        whole.run();
        expect_near(whole.outputs()[0], expected, allowed);
        KernelHarness sliced(op, inputs);
        sliced.run_sliced(1, {true, false, false, false});
        expect_near(sliced.outputs()[0], expected, allowed);
      }
    }
  }
}

TEST(ScaledConv2D, NaNStaysNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::int64_t groups : {1, 4}) {
    const Tensor x = Tensor::full({1, 3, 3, 4}, nan);
    const Tensor kernel = Tensor::full({1, 1, 4 / groups, 4}, 1.0);
    const Tensor row = Tensor::full({4}, 1.0);
    const ScaledConv2DOp op(Epilogue::relu6, {.groups = groups});
    for (const double value : run_kernel(op, {x, kernel, row, row}).to_vector()) EXPECT_TRUE(std::isnan(value));
  }
}

TEST(ScaledConv2D, FactorsOfAnotherNumberAreRefused) {
  const TensorSpec images = {{1, 3, 3, 4}, float32};
  const TensorSpec kernel = {{1, 1, 4, 5}, float32};
  const std::vector<TensorSpec> inputs = {images, kernel, {{5}, float32}, {{4}, float32}};
  EXPECT_THROW(ScaledConv2DOp(Epilogue::none).infer(inputs), InvalidArgumentError);
}

}  // namespace
}  // namespace rhyton::scaled_conv_tests
