#include <rhyton/framework/ops/conv_max_pool.h>

#include <gtest/gtest.h>

#include <string>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/ops/kernel_checks.h>

namespace rhyton::conv_max_pool_tests {
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
  Conv2DAttributes window = {};
  Pool2DAttributes pool = {};

  std::string text() const {
    return x.to_string() + " " + kernel.to_string() + " " + window.to_string() + " " + pool.to_string();
  }
  std::int64_t depth() const { return kernel[0] * kernel[1] * kernel[2]; }
};

std::vector<Case> cases() {
  return {
      // The layers of the MNIST CNN: an odd row and column outside of all windows.
      {{2, 28, 28, 1}, {3, 3, 1, 32}},
      {{3, 13, 13, 32}, {3, 3, 32, 64}},
      // Channels and filters that fill less than one register, exactly one, and many.
      {{2, 8, 8, 3}, {3, 3, 3, 5}},
      {{2, 8, 8, 5}, {3, 3, 5, 17}},
      {{2, 8, 8, 16}, {3, 3, 16, 33}},
      {{1, 6, 6, 64}, {3, 3, 64, 16}},
      {{1, 6, 6, 128}, {3, 3, 128, 20}},
      {{1, 6, 6, 272}, {3, 3, 272, 3}},
      // Padding, strides, dilation, groups, one group per channel.
      {{2, 9, 7, 16}, {3, 3, 16, 17}, {.padding = same}},
      {{2, 9, 9, 16}, {5, 3, 16, 8}, {.padding = same}},
      {{2, 11, 12, 32}, {3, 3, 32, 16}, {.strides = {2, 2}}},
      {{2, 11, 12, 32}, {2, 3, 32, 16}, {.strides = {2, 1}, .padding = same}},
      {{1, 12, 12, 16}, {3, 3, 16, 8}, {.dilation_rate = {2, 1}}},
      {{1, 12, 12, 16}, {3, 3, 16, 8}, {.padding = same, .dilation_rate = {1, 2}}},
      {{2, 8, 8, 32}, {3, 3, 16, 32}, {.groups = 2}},
      {{2, 8, 8, 16}, {3, 3, 1, 16}, {.padding = same, .groups = 16}},
      // Windows of other sizes, that overlap, leave gaps or extend beyond the edge.
      {{2, 11, 11, 16}, {3, 3, 16, 16}, {}, {.pool_size = {3, 3}, .strides = {3, 3}}},
      {{2, 11, 10, 16}, {3, 3, 16, 16}, {}, {.pool_size = {3, 2}, .strides = {2, 1}}},
      {{2, 12, 12, 16}, {3, 3, 16, 16}, {}, {.pool_size = {2, 2}, .strides = {3, 4}}},
      {{2, 9, 9, 16}, {3, 3, 16, 16}, {}, {.pool_size = {2, 2}, .strides = {2, 2}, .padding = same}},
      {{2, 9, 9, 16}, {3, 3, 16, 16}, {.padding = same}, {.pool_size = {3, 3}, .strides = {2, 2}, .padding = same}},
      {{2, 16, 3, 4}, {3, 3, 4, 16}, {}, {.pool_size = {5, 1}, .strides = {5, 1}}},
      // Kernels of one cell; images too large for one chunk; an output of one window.
      {{2, 6, 6, 32}, {1, 1, 32, 16}},
      {{1, 70, 64, 16}, {3, 3, 16, 16}, {.padding = same}},
      {{2, 4, 4, 16}, {3, 3, 16, 16}},
      {{40, 4, 4, 16}, {3, 3, 16, 16}},
  };
}

/// The separate ops that the op replaces.
struct Unfused {
  Tensor pooled;
  Tensor index;
  Tensor activated;

  Unfused(const Case& test, Epilogue activation, const Tensor& x, const Tensor& kernel, const Tensor& bias) {
    activated = conv2d(x, kernel, test.window) + bias;
    if (activation == Epilogue::relu) activated = relu(activated);
    std::tie(pooled, index) = max_pool2d_with_index(activated, test.pool);
  }
};

/// The index with the cells masked by ReLU marked.
std::vector<double> marked(const Unfused& unfused, const Case& test) {
  std::vector<double> index = unfused.index.to_vector();
  const std::vector<double> pooled = unfused.pooled.to_vector();
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (!(pooled[i] > 0)) index[i] = static_cast<double>(no_cell(test.pool));
  }
  return index;
}

TEST(FusedConv2DMaxPool, GivesTheBitsOfTheSeparateOps) {
  unsigned seed = 1;
  for (const Case& test : cases()) {
    for (const DType dtype : {float32, float64}) {
      for (const Epilogue activation : {Epilogue::relu, Epilogue::none}) {
        SCOPED_TRACE(test.text());
        const Tensor x = random_tensor(test.x, dtype, ++seed);
        const Tensor kernel = random_tensor(test.kernel, dtype, ++seed);
        const Tensor bias = random_tensor({test.kernel[3]}, dtype, ++seed);
        const Unfused unfused(test, activation, x, kernel, bias);
        const FusedConv2DMaxPoolOp op(FusedConv2DOp(activation, test.window), test.pool);
        for (const bool sliced : {false, true}) {
          KernelHarness harness(op, {x, kernel, bias});
          sliced ? harness.run_sliced(2, {true, false, false}) : harness.run();
          expect_near(harness.outputs()[0], unfused.pooled.to_vector(), tolerance(dtype, test.depth()));
          // If two cells are closer than rounding errors, either may be chosen.
          const std::vector<double> expected =
              activation == Epilogue::relu ? marked(unfused, test) : unfused.index.to_vector();
          const std::vector<double> actual = harness.outputs()[1].to_vector();
          std::size_t different = 0;
          for (std::size_t i = 0; i < actual.size(); ++i) different += actual[i] != expected[i] ? 1 : 0;
          EXPECT_LE(different, actual.size() / 2000);

          const FusedConv2DMaxPoolOp without_index(FusedConv2DOp(activation, test.window), test.pool, false);
          KernelHarness unmarked(without_index, {x, kernel, bias});
          sliced ? unmarked.run_sliced(2, {true, false, false}) : unmarked.run();
          ASSERT_EQ(unmarked.outputs().size(), 1U);
          EXPECT_EQ(unmarked.outputs()[0].to_vector(), harness.outputs()[0].to_vector());
        }
      }
    }
  }
}

TEST(FusedConv2DMaxPool, NaNLosesAndStaysWhereNothingElseIs) {
  const Case test = {{1, 4, 4, 16}, {1, 1, 16, 16}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Tensor x = random_tensor(test.x, float32, 1);
  // One NaN in the first window, a second window of only NaN.
  x.mutable_data<float>()[0] = static_cast<float>(nan);
  for (const std::int64_t pixel : {2, 3, 6, 7}) x.mutable_data<float>()[pixel * 16] = static_cast<float>(nan);
  const Tensor kernel = random_tensor(test.kernel, float32, 2);
  const Tensor bias = random_tensor({16}, float32, 3);
  const Unfused unfused(test, Epilogue::relu, x, kernel, bias);
  const FusedConv2DMaxPoolOp op(FusedConv2DOp(Epilogue::relu), test.pool);
  KernelHarness harness(op, {x, kernel, bias});
  harness.run();
  const std::vector<double> actual = harness.outputs()[0].to_vector();
  const std::vector<double> expected = unfused.pooled.to_vector();
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(std::isnan(actual[i]), std::isnan(expected[i])) << i;
    if (std::isnan(expected[i])) continue;
    EXPECT_FLOAT_EQ(static_cast<float>(actual[i]), static_cast<float>(expected[i])) << i;
  }
  EXPECT_EQ(harness.outputs()[1].to_vector(), marked(unfused, test));

  const FusedConv2DMaxPoolOp without_index(FusedConv2DOp(Epilogue::relu), test.pool, false);
  KernelHarness unmarked(without_index, {x, kernel, bias});
  unmarked.run();
  const std::vector<double> pooled = unmarked.outputs()[0].to_vector();
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_TRUE(pooled[i] == actual[i] || (std::isnan(pooled[i]) && std::isnan(actual[i]))) << i;
  }
}

TEST(ConvMaxPoolGradients, AreThoseOfTheSeparateOps) {
  unsigned seed = 100;
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.text());
    const Tensor x = random_tensor(test.x, float64, ++seed);
    const Tensor kernel = random_tensor(test.kernel, float64, ++seed);
    const Tensor bias = random_tensor({test.kernel[3]}, float64, ++seed);
    const Unfused unfused(test, Epilogue::relu, x, kernel, bias);
    const Tensor dy = random_tensor(unfused.pooled.shape(), float64, ++seed);
    const Shape& y = unfused.activated.shape();
    const Tensor full = call<MaxPool2DGradientOp>({dy, unfused.index}, y[1], y[2], test.pool) *
                        cast(greater(unfused.activated, Tensor::full({}, 0.0, float64)), float64);
    const std::vector<double> dx = conv2d_input_gradient(kernel, full, test.x[1], test.x[2], test.window).to_vector();
    const std::vector<double> dw =
        conv2d_kernel_gradient(x, full, test.kernel[0], test.kernel[1], test.window).to_vector();
    const std::vector<double> db = sum(full, {0, 1, 2}).to_vector();

    const std::vector<double> cells = marked(unfused, test);
    const Tensor index =
        Tensor::from_data(unfused.index.shape(), std::vector<std::uint8_t>(cells.begin(), cells.end()));
    for (const DType dtype : {float64, float32}) {
      const Conv2DMaxPoolInputGradientOp input_gradient(test.x[1], test.x[2], test.window, test.pool);
      const std::vector<Tensor> inputs = {to_dtype(kernel, dtype), to_dtype(dy, dtype), index};
      const Conv2DMaxPoolKernelGradientOp kernel_gradient(test.kernel[0], test.kernel[1], test.window, test.pool);
      const std::vector<Tensor> other_inputs = {to_dtype(x, dtype), to_dtype(dy, dtype), index};
      for (const bool sliced : {false, true}) {
        KernelHarness of_input(input_gradient, inputs);
        sliced ? of_input.run_sliced(2, {false, true, true}) : of_input.run();
        expect_near(of_input.outputs()[0], dx, tolerance(dtype, test.kernel[0] * test.kernel[1] * test.kernel[3]));
        KernelHarness of_parameters(kernel_gradient, other_inputs);
        sliced ? of_parameters.run_sliced(1, {true, true, true}) : of_parameters.run();
        const std::int64_t terms = dy.size() / test.kernel[3];
        expect_near(of_parameters.outputs()[0], dw, tolerance(dtype, terms));
        expect_near(of_parameters.outputs()[1], db, tolerance(dtype, terms));
      }
    }
  }
}

TEST(ConvMaxPoolGradients, AreAsExactInFloat32AsTheDenseForm) {
  const Case test = {{16, 13, 13, 32}, {3, 3, 32, 64}};
  const Tensor x = random_tensor(test.x, float64, 1);
  const Tensor kernel = random_tensor(test.kernel, float64, 2);
  const Tensor bias = random_tensor({64}, float64, 3);
  const Unfused unfused(test, Epilogue::relu, x, kernel, bias);
  const Tensor dy = random_tensor(unfused.pooled.shape(), float64, 4);
  const std::vector<double> cells = marked(unfused, test);
  const Tensor index = Tensor::from_data(unfused.index.shape(), std::vector<std::uint8_t>(cells.begin(), cells.end()));
  const Tensor full = call<MaxPool2DGradientOp>({dy, index}, 11, 11, test.pool);
  const std::vector<double> exact = conv2d_kernel_gradient(x, full, 3, 3).to_vector();
  const Tensor dense = conv2d_kernel_gradient(to_dtype(x, float32), to_dtype(full, float32), 3, 3);
  const Tensor pooled = run_kernel(Conv2DMaxPoolKernelGradientOp(3, 3, test.window, test.pool),
                                   {to_dtype(x, float32), to_dtype(dy, float32), index});
  const auto relative_error = [&](const Tensor& tensor) {
    const std::vector<double> values = tensor.to_vector();
    double difference = 0;
    double length = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      difference += (values[i] - exact[i]) * (values[i] - exact[i]);
      length += exact[i] * exact[i];
    }
    return std::sqrt(difference / length);
  };
  RecordProperty("dense", std::to_string(relative_error(dense)));
  RecordProperty("pooled", std::to_string(relative_error(pooled)));
  // Sums of about two hundred terms.
  EXPECT_LE(relative_error(dense), 1e-6);
  EXPECT_LE(relative_error(pooled), 1e-6);
}

TEST(ConvMaxPool, WhatDoesNotFitIsRefused) {
  const TensorSpec x = {{2, 8, 8, 3}, float32};
  const TensorSpec kernel = {{3, 3, 3, 4}, float32};
  const TensorSpec dy = {{2, 3, 3, 4}, float32};
  const TensorSpec index = {{2, 3, 3, 4}, DType::uint8};
  const Pool2DAttributes large = {.pool_size = {16, 16}, .strides = {16, 16}};
  const std::vector<TensorSpec> forward = {x, kernel};
  EXPECT_THROW(FusedConv2DMaxPoolOp(FusedConv2DOp(Epilogue::relu), large).infer(forward), InvalidArgumentError);
  const std::vector<TensorSpec> wrong_index = {x, dy, {{2, 3, 3, 4}, DType::int32}};
  EXPECT_THROW(Conv2DMaxPoolKernelGradientOp(3, 3, {}, {}).infer(wrong_index), InvalidArgumentError);
  const std::vector<TensorSpec> wrong_gradient = {kernel, {{2, 4, 4, 4}, float32}, index};
  EXPECT_THROW(Conv2DMaxPoolInputGradientOp(8, 8, {}, {}).infer(wrong_gradient), InvalidArgumentError);
}

}  // namespace
}  // namespace rhyton::conv_max_pool_tests
