#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <rhyton/framework/ops/conv_max_pool.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/ops/kernel_checks.h>

namespace rhyton::conv_winograd_tests {
namespace {

using test::expect_near;
using test::KernelHarness;
using test::random_tensor;
using test::run_kernel;
using test::to_dtype;
using test::tolerance;

constexpr Padding same = Padding::same;
constexpr Padding valid = Padding::valid;

struct Case {
  std::int64_t images;
  std::int64_t height;
  std::int64_t width;
  std::int64_t channels;
  std::int64_t filters;
  Padding padding;
  std::int64_t kernel_height = 3;
  std::int64_t kernel_width = 3;

  Shape x() const { return {images, height, width, channels}; }
  Shape kernel() const { return {kernel_height, kernel_width, channels, filters}; }
  std::int64_t taps() const { return kernel_height * kernel_width; }
  Conv2DAttributes window() const { return {.padding = padding}; }
  std::string text() const { return x().to_string() + " " + kernel().to_string() + " " + window().to_string(); }
};

std::vector<Case> cases() {
  return {
      // Tiles that fit, and that extend beyond the edge.
      {2, 12, 12, 32, 64, valid},
      {3, 13, 11, 32, 32, valid},
      {2, 16, 16, 32, 32, same},
      {2, 9, 7, 32, 48, same},
      // Channels and filters that are no multiple of a register.
      {2, 8, 8, 33, 37, same},
      {2, 7, 6, 3, 5, valid},
      {1, 8, 8, 64, 200, same},
      // One tile per image, forward and backward.
      {8, 5, 5, 64, 64, valid},
      {5, 5, 5, 17, 33, valid},
      {4, 3, 3, 32, 32, same},
      {4, 5, 4, 32, 32, valid},
      // Smaller than a tile.
      {3, 3, 3, 32, 32, valid},
      {3, 1, 2, 32, 32, same},
      {2, 4, 4, 32, 32, valid},
      // More tiles than fit in one block.
      {2, 40, 40, 64, 32, same},
      {40, 5, 5, 128, 128, valid},
  };
}

/// Kernels of one row.
std::vector<Case> row_cases() {
  std::vector<Case> cases;
  for (const std::int64_t taps : {3, 5}) {
    for (const Case& test : std::vector<Case>{// Tiles that fit, and that extend beyond the edge.
                                              {2, 1, 12, 32, 64, valid},
                                              {3, 1, 13, 32, 32, same},
                                              {2, 3, 9, 32, 48, same},
                                              // Channels and filters that are no multiple of a register.
                                              {2, 1, 17, 33, 37, same},
                                              {2, 2, 6, 3, 5, valid},
                                              {1, 1, 8, 80, 200, same},
                                              // Smaller than a tile.
                                              {3, 1, 1, 32, 32, same},
                                              {3, 1, 5, 32, 32, valid},
                                              // More tiles than fit in one block.
                                              {2, 1, 700, 64, 32, same},
                                              {40, 1, 9, 128, 128, valid}}) {
      cases.push_back(test);
      cases.back().kernel_height = 1;
      cases.back().kernel_width = taps;
    }
  }
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> all = cases();
  const std::vector<Case> rows = row_cases();
  all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

constexpr ConvAlgorithm algorithms[] = {ConvAlgorithm::winograd, ConvAlgorithm::fast_winograd};

/// Sums of that many products. The transforms add and subtract numbers larger than the result: by a small factor for
/// small tiles, more for large ones.
double allowed(DType dtype, std::int64_t products, ConvAlgorithm algorithm) {
  return (algorithm == ConvAlgorithm::winograd ? 4 : 16) * tolerance(dtype, products);
}

TEST(Winograd, IsAConvolution) {
  unsigned seed = 1;
  for (const Case& test : all_cases()) {
    const Tensor x = random_tensor(test.x(), float64, ++seed);
    const Tensor kernel = random_tensor(test.kernel(), float64, ++seed);
    const Tensor bias = random_tensor({test.filters}, float64, ++seed);
    const std::vector<double> expected = relu(conv2d(x, kernel, test.window()) + bias).to_vector();
    for (const ConvAlgorithm algorithm : algorithms) {
      for (const DType dtype : {float64, float32}) {
        SCOPED_TRACE(test.text() + " " + std::string(name_of(algorithm)));
        const FusedConv2DOp op(Epilogue::relu, test.window(), algorithm);
        KernelHarness whole(op, {to_dtype(x, dtype), to_dtype(kernel, dtype), to_dtype(bias, dtype)});
        whole.run();
        expect_near(whole.outputs()[0], expected, allowed(dtype, test.taps() * test.channels, algorithm));
        KernelHarness sliced(op, {to_dtype(x, dtype), to_dtype(kernel, dtype), to_dtype(bias, dtype)});
        sliced.run_sliced(3, {true, false, false});
        expect_near(sliced.outputs()[0], expected, allowed(dtype, test.taps() * test.channels, algorithm));
      }
    }
  }
}

TEST(Winograd, InputGradientIsThatOfTheConvolution) {
  unsigned seed = 100;
  for (const Case& test : all_cases()) {
    const Tensor kernel = random_tensor(test.kernel(), float64, ++seed);
    const std::vector<TensorSpec> specs = {{test.x(), float64}, kernel.spec()};
    const Tensor dy = random_tensor(Conv2DOp(test.window()).infer(specs)[0].shape, float64, ++seed);
    const std::vector<double> expected =
        conv2d_input_gradient(kernel, dy, test.height, test.width, test.window()).to_vector();
    for (const ConvAlgorithm algorithm : algorithms) {
      for (const DType dtype : {float64, float32}) {
        SCOPED_TRACE(test.text() + " " + std::string(name_of(algorithm)));
        const Conv2DInputGradientOp op(test.height, test.width, test.window(), algorithm);
        KernelHarness whole(op, {to_dtype(kernel, dtype), to_dtype(dy, dtype)});
        whole.run();
        expect_near(whole.outputs()[0], expected, allowed(dtype, test.taps() * test.filters, algorithm));
        KernelHarness sliced(op, {to_dtype(kernel, dtype), to_dtype(dy, dtype)});
        sliced.run_sliced(3, {false, true});
        expect_near(sliced.outputs()[0], expected, allowed(dtype, test.taps() * test.filters, algorithm));
      }
    }
  }
}

TEST(Winograd, KernelGradientIsThatOfTheConvolution) {
  unsigned seed = 150;
  for (const Case& test : all_cases()) {
    const Tensor x = random_tensor(test.x(), float64, ++seed);
    const std::vector<TensorSpec> specs = {x.spec(), {test.kernel(), float64}};
    const Tensor dy = random_tensor(Conv2DOp(test.window()).infer(specs)[0].shape, float64, ++seed);
    const std::vector<double> expected =
        conv2d_kernel_gradient(x, dy, test.kernel_height, test.kernel_width, test.window()).to_vector();
    const std::int64_t terms = dy.size() / test.filters;
    for (const ConvAlgorithm algorithm : algorithms) {
      for (const DType dtype : {float64, float32}) {
        SCOPED_TRACE(test.text() + " " + std::string(name_of(algorithm)));
        const Conv2DKernelGradientOp op(test.kernel_height, test.kernel_width, test.window(), algorithm);
        KernelHarness whole(op, {to_dtype(x, dtype), to_dtype(dy, dtype)});
        whole.run();
        expect_near(whole.outputs()[0], expected, allowed(dtype, terms, algorithm));
        KernelHarness sliced(op, {to_dtype(x, dtype), to_dtype(dy, dtype)});
        sliced.run_sliced(3, {true, true});
        expect_near(sliced.outputs()[0], expected, allowed(dtype, terms, algorithm));
      }
    }
  }
}

TEST(Winograd, PoolsItsTiles) {
  unsigned seed = 200;
  for (const Case& test : cases()) {
    if (test.padding == valid && (test.height < 4 || test.width < 4)) continue;
    if (test.height < 2 || test.width < 2) continue;
    const Tensor x = random_tensor(test.x(), float64, ++seed);
    const Tensor kernel = random_tensor(test.kernel(), float64, ++seed);
    const Tensor bias = random_tensor({test.filters}, float64, ++seed);
    for (const Epilogue activation : {Epilogue::relu, Epilogue::none}) {
      const FusedConv2DMaxPoolOp direct(FusedConv2DOp(activation, test.window()), {});
      KernelHarness expected(direct, {x, kernel, bias});
      expected.run();
      for (const ConvAlgorithm algorithm : algorithms) {
        SCOPED_TRACE(test.text() + " " + std::string(name_of(algorithm)));
        const FusedConv2DMaxPoolOp op(FusedConv2DOp(activation, test.window(), algorithm), {});
        KernelHarness exact(op, {x, kernel, bias});
        exact.run();
        expect_near(exact.outputs()[0], expected.outputs()[0].to_vector(),
                    allowed(float64, test.taps() * test.channels, algorithm));
        EXPECT_EQ(exact.outputs()[1].to_vector(), expected.outputs()[1].to_vector());
        KernelHarness rounded(op, {to_dtype(x, float32), to_dtype(kernel, float32), to_dtype(bias, float32)});
        rounded.run_sliced(2, {true, false, false});
        expect_near(rounded.outputs()[0], expected.outputs()[0].to_vector(),
                    allowed(float32, test.taps() * test.channels, algorithm));
        const FusedConv2DMaxPoolOp without_index(FusedConv2DOp(activation, test.window(), algorithm), {}, false);
        KernelHarness unmarked(without_index, {x, kernel, bias});
        unmarked.run();
        EXPECT_EQ(unmarked.outputs()[0].to_vector(), exact.outputs()[0].to_vector());
      }
    }
  }
}

/// ‖a − b‖ / ‖b‖ of an op's float32 kernel compared with its float64 one.
double relative_error(const Op& op, const Op& exact, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> rounded;
  for (const Tensor& input : inputs) rounded.push_back(to_dtype(input, float32));
  std::vector<Tensor> same_values;
  for (const Tensor& input : rounded) same_values.push_back(to_dtype(input, float64));
  const std::vector<double> actual = run_kernel(op, rounded).to_vector();
  const std::vector<double> expected = run_kernel(exact, same_values).to_vector();
  double difference = 0;
  double length = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    difference += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    length += expected[i] * expected[i];
  }
  return std::sqrt(difference / length);
}

TEST(Winograd, SmallTilesAreAsExactAsTheDirectForm) {
  for (const Case& test : std::vector<Case>{{8, 12, 12, 32, 64, valid}, {8, 16, 16, 64, 64, same}}) {
    const std::vector<Tensor> inputs = {random_tensor(test.x(), float64, 1), random_tensor(test.kernel(), float64, 2)};
    const FusedConv2DOp direct(Epilogue::none, test.window());
    const double error = relative_error(direct, direct, inputs);
    const auto times = [&](ConvAlgorithm algorithm) {
      return relative_error(FusedConv2DOp(Epilogue::none, test.window(), algorithm), direct, inputs) / error;
    };
    const double small = times(ConvAlgorithm::winograd);
    const double large = times(ConvAlgorithm::fast_winograd);
    RecordProperty("direct", std::to_string(error));
    RecordProperty("winograd_times", std::to_string(small));
    RecordProperty("fast_winograd_times", std::to_string(large));
    EXPECT_LE(small, 1.25);
    EXPECT_LE(large, 8);
  }
}

TEST(Winograd, TilesOfOneRowAreNearlyAsExactAsTheDirectForm) {
  for (const std::int64_t taps : {3, 5}) {
    const Case test = {8, 1, 128, 64, 64, same, 1, taps};
    const std::vector<Tensor> inputs = {random_tensor(test.x(), float64, 1), random_tensor(test.kernel(), float64, 2)};
    const FusedConv2DOp direct(Epilogue::none, test.window());
    const double error = relative_error(direct, direct, inputs);
    const auto times = [&](ConvAlgorithm algorithm) {
      return relative_error(FusedConv2DOp(Epilogue::none, test.window(), algorithm), direct, inputs) / error;
    };
    const std::string name = std::to_string(taps) + "_taps";
    const double small = times(ConvAlgorithm::winograd);
    const double large = times(ConvAlgorithm::fast_winograd);
    RecordProperty("winograd_times_" + name, std::to_string(small));
    RecordProperty("fast_winograd_times_" + name, std::to_string(large));
    EXPECT_LE(small, taps == 3 ? 1.25 : 2);
    EXPECT_LE(large, 4);
  }
}

TEST(Winograd, OneTilePerImageStaysWithinFloat32) {
  const Case test = {16, 5, 5, 64, 64, valid};
  const std::vector<Tensor> inputs = {random_tensor(test.x(), float64, 1), random_tensor(test.kernel(), float64, 2)};
  const FusedConv2DOp direct(Epilogue::none, test.window());
  const FusedConv2DOp winograd(Epilogue::none, test.window(), ConvAlgorithm::winograd);
  RecordProperty("direct", std::to_string(1e7 * relative_error(direct, direct, inputs)));
  RecordProperty("one_tile", std::to_string(1e7 * relative_error(winograd, direct, inputs)));
  EXPECT_LE(relative_error(winograd, direct, inputs), 1e-6);
  const std::vector<Tensor> backward = {inputs[1], random_tensor({16, 3, 3, 64}, float64, 3)};
  const Conv2DInputGradientOp direct_gradient(5, 5, test.window());
  const Conv2DInputGradientOp gradient(5, 5, test.window(), ConvAlgorithm::winograd);
  EXPECT_LE(relative_error(gradient, direct_gradient, backward), 1e-6);
}

}  // namespace
}  // namespace rhyton::conv_winograd_tests
