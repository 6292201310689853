#include <rhyton/framework/ops/pooling.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu::pooling_tests {
namespace {

constexpr Padding same = Padding::same;

struct Case {
  Shape x;
  Pool2DAttributes window;
};

std::vector<Case> cases() {
  const std::vector<Pool2DAttributes> windows = {
      {},
      {.padding = same},
      {.pool_size = {3, 3}, .strides = {2, 2}},
      {.pool_size = {3, 2}, .strides = {1, 2}, .padding = same},
      {.pool_size = {2, 2}, .strides = {3, 3}},
      {.pool_size = {1, 1}, .strides = {2, 1}, .padding = same},
      {.pool_size = {5, 6}, .strides = {1, 1}},
      {.pool_size = {17, 20}, .strides = {4, 4}, .padding = same},
  };
  std::vector<Case> all;
  for (const Pool2DAttributes& window : windows) {
    for (const std::int64_t channels : {1, 3, 8, 33}) all.push_back({{2, 7, 6, channels}, window});
    all.push_back({{1, 31, 33, 4}, window});
  }
  all.push_back({{0, 4, 4, 3}, {}});
  all.push_back({{2, 4, 4, 0}, {}});
  return all;
}

std::vector<DType> all_dtypes() { return {float32, float64, float16, bfloat16}; }

double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-12;
    case DType::float16:
      return 2e-3;
    case DType::bfloat16:
      return 2e-2;
    default:
      return 1e-5;
  }
}

std::string text(const Case& test, DType dtype) {
  return test.x.to_string() + " " + test.window.to_string() + " " + std::string(name_of(dtype));
}

std::vector<Tensor> on_gpu(const Op& op, const std::vector<Tensor>& inputs) {
  return run_kernel(op, inputs, test_stream());
}

Tensor random_of(const Shape& shape, DType dtype, std::uint64_t seed) {
  return test::random_tensor(shape, seed, -1, 1, float64).cast(dtype);
}

void expect_close(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.shape(), expected.shape());
  const std::vector<double> values = actual.to_vector();
  const std::vector<double> exact = expected.to_vector();
  double largest = 0;
  for (const double value : exact) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], exact[i], tolerance(actual.dtype()) * largest) << i;
  }
}

/// Input 0 is floating and converted to float64 for the CPU; the others are passed unchanged.
void expect_as_on_cpu(const OpPtr& op, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> exact = inputs;
  exact[0] = inputs[0].cast(float64);
  const std::vector<Tensor> actual = on_gpu(*op, inputs);
  expect_close(actual[0], rhyton::apply(op, exact)[0]);
  EXPECT_TRUE(test::same_bits(on_gpu(*op, inputs), actual));
}

TEST(GpuMaxPool, FindsTheValuesAndPlacesThatTheCpuFinds) {
  for (const Case& test : cases()) {
    for (const DType dtype : all_dtypes()) {
      SCOPED_TRACE(text(test, dtype));
      const std::vector<Tensor> inputs = {random_of(test.x, dtype, 1)};
      const auto op = std::make_shared<const MaxPool2DOp>(test.window);
      const std::vector<Tensor> actual = on_gpu(*op, inputs);
      const std::vector<Tensor> expected = rhyton::apply(op, std::vector{inputs[0].cast(float64)});
      EXPECT_TRUE(test::same_bits(actual[0], expected[0].cast(dtype)));
      EXPECT_TRUE(test::same_bits(actual[1], expected[1]));
    }
  }
}

TEST(GpuMaxPool, TakesTheFirstOfEqualValuesAndNaNOnlyWhereThereIsNothingElse) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  // Four adjacent windows of 2 x 2.
  const Tensor x = Tensor::from_data<float>(
      {1, 2, 8, 1}, {1, 3, nan, 2, nan, nan, -infinity, nan, 3, 3, 5, nan, nan, nan, -infinity, -infinity});
  for (const DType dtype : all_dtypes()) {
    const std::vector<Tensor> actual = on_gpu(MaxPool2DOp(), {x.cast(dtype)});
    const std::vector<double> values = actual[0].to_vector();
    EXPECT_EQ(values[0], 3);
    EXPECT_EQ(values[1], 5);
    EXPECT_TRUE(std::isnan(values[2]));
    EXPECT_EQ(values[3], -infinity);
    const std::vector<Tensor> expected = rhyton::apply(std::make_shared<const MaxPool2DOp>(), std::vector{x});
    EXPECT_TRUE(test::same_bits(actual[1], expected[1]));
  }
}

TEST(GpuMaxPoolGradient, AddsToTheCellsThatTheIndexNames) {
  for (const Case& test : cases()) {
    for (const DType dtype : all_dtypes()) {
      SCOPED_TRACE(text(test, dtype));
      const std::vector<Tensor> x = {random_of(test.x, float64, 2)};
      const std::vector<Tensor> pooled = rhyton::apply(std::make_shared<const MaxPool2DOp>(test.window), x);
      const Tensor dy = random_of(pooled[0].shape(), dtype, 3);
      expect_as_on_cpu(std::make_shared<const MaxPool2DGradientOp>(test.x[1], test.x[2], test.window), {dy, pooled[1]});
    }
  }
}

TEST(GpuMaxPoolGradient, GoesNowhereForAPlaceThatIsNoCell) {
  const Tensor dy = Tensor::full({1, 1, 1, 4}, 1.0);
  const Tensor index = Tensor::from_data<std::uint8_t>({1, 1, 1, 4}, {4, 0, 255, 3});
  EXPECT_EQ(on_gpu(MaxPool2DGradientOp(2, 2), {dy, index})[0].to_vector(),
            std::vector<double>({0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(on_gpu(MaxPool2DSelectOp(), {Tensor::full({1, 2, 2, 4}, 1.0), index})[0].to_vector(),
            std::vector<double>({0, 1, 0, 1}));
}

TEST(GpuMaxPoolSelect, ReadsTheCellsThatTheIndexNames) {
  for (const Case& test : cases()) {
    for (const DType dtype : all_dtypes()) {
      SCOPED_TRACE(text(test, dtype));
      const Tensor x = random_of(test.x, dtype, 4);
      const std::vector<Tensor> other = {random_of(test.x, float64, 5)};
      const Tensor index = rhyton::apply(std::make_shared<const MaxPool2DOp>(test.window), other)[1];
      expect_as_on_cpu(std::make_shared<const MaxPool2DSelectOp>(test.window), {x, index});
    }
  }
}

TEST(GpuAveragePool, AgreesWithTheCpu) {
  for (const Case& test : cases()) {
    for (const DType dtype : all_dtypes()) {
      SCOPED_TRACE(text(test, dtype));
      const auto op = std::make_shared<const AveragePool2DOp>(test.window);
      const Tensor x = random_of(test.x, dtype, 6);
      expect_as_on_cpu(op, {x});
      const Shape pooled = op->infer(std::vector{x.spec()})[0].shape;
      expect_as_on_cpu(std::make_shared<const AveragePool2DGradientOp>(test.x[1], test.x[2], test.window),
                       {random_of(pooled, dtype, 7)});
    }
  }
}

}  // namespace
}  // namespace rhyton::gpu::pooling_tests
