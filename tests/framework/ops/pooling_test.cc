#include <rhyton/framework/ops/pooling.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/ops/kernel_checks.h>

namespace rhyton::pooling_tests {
namespace {

using test::check_gradients;
using test::expect_near;
using test::KernelHarness;
using test::random_tensor;
using test::run_kernel;
using test::run_kernel_sliced;

constexpr Padding same = Padding::same;

struct Case {
  Shape x;
  Pool2DAttributes window;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::vector<Pool2DAttributes> windows = {
      {},
      {.padding = same},
      {.pool_size = {3, 3}, .strides = {2, 2}},
      {.pool_size = {3, 2}, .strides = {1, 2}, .padding = same},
      {.pool_size = {2, 2}, .strides = {3, 3}},
      {.pool_size = {1, 1}, .strides = {2, 1}, .padding = same},
      {.pool_size = {5, 6}, .strides = {5, 6}},
      {.pool_size = {9, 7}, .strides = {1, 1}, .padding = same},
      {.pool_size = {17, 20}, .strides = {4, 4}, .padding = same},
  };
  for (const Pool2DAttributes& window : windows) {
    for (const std::int64_t channels : {1, 3, 16, 33}) {
      all.push_back({{3, 5, 6, channels}, window});
      all.push_back({{2, 8, 7, channels}, window});
    }
  }
  return all;
}

/// Calls function(index in y, index in x, position in the window) for every cell that a window covers.
template <class Function>
void for_each_cell(const Case& test, Function&& function) {
  const Shape& x = test.x;
  const WindowAxis rows(x[1], test.window.pool_size[0], test.window.strides[0], 1, test.window.padding);
  const WindowAxis columns(x[2], test.window.pool_size[1], test.window.strides[1], 1, test.window.padding);
  std::size_t y = 0;
  for (std::int64_t image = 0; image < x[0]; ++image) {
    for (std::int64_t out_row = 0; out_row < rows.output; ++out_row) {
      for (std::int64_t out_column = 0; out_column < columns.output; ++out_column) {
        for (std::int64_t channel = 0; channel < x[3]; ++channel, ++y) {
          for (std::int64_t i = 0; i < rows.window; ++i) {
            for (std::int64_t j = 0; j < columns.window; ++j) {
              const std::int64_t row = out_row * rows.stride - rows.pad_before + i;
              const std::int64_t column = out_column * columns.stride - columns.pad_before + j;
              if (row < 0 || row >= x[1] || column < 0 || column >= x[2]) continue;
              function(y, static_cast<std::size_t>(((image * x[1] + row) * x[2] + column) * x[3] + channel),
                       i * columns.window + j);
            }
          }
        }
      }
    }
  }
}

TEST(MaxPool2D, KernelsMatchLoops) {
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.x.to_string() + " " + test.window.to_string());
    for (const DType dtype : {float32, float64}) {
      const Tensor x = random_tensor(test.x, dtype, 1);
      const MaxPool2DOp op(test.window);
      KernelHarness harness(op, {x});
      harness.run();
      const Tensor pooled = harness.outputs()[0];
      const Tensor index = harness.outputs()[1];
      const Tensor dy = random_tensor(pooled.shape(), dtype, 2);
      const std::vector<double> xs = x.to_vector();
      const std::vector<double> dys = dy.to_vector();
      std::vector<double> expected(dys.size(), -2.0);
      std::vector<double> places(dys.size());
      std::vector<std::size_t> winners(dys.size());
      for_each_cell(test, [&](std::size_t i, std::size_t j, std::int64_t position) {
        if (xs[j] <= expected[i]) return;
        expected[i] = xs[j];
        places[i] = static_cast<double>(position);
        winners[i] = j;
      });
      std::vector<double> dx(xs.size());
      for (std::size_t i = 0; i < winners.size(); ++i) dx[winners[i]] += dys[i];
      expect_near(pooled, expected, 0.0);
      expect_near(index, places, 0.0);
      const double error = dtype == float32 ? 1e-5 : 1e-14;
      const MaxPool2DGradientOp gradient(test.x[1], test.x[2], test.window);
      expect_near(run_kernel(gradient, {dy, index}), dx, error);
      expect_near(run_kernel(MaxPool2DSelectOp(test.window), {x, index}), expected, 0.0);

      KernelHarness sliced(op, {x});
      sliced.run_sliced(2, {true});
      expect_near(sliced.outputs()[0], expected, 0.0);
      expect_near(sliced.outputs()[1], places, 0.0);
      expect_near(run_kernel_sliced(gradient, {dy, index}, 1, {true, true}), dx, error);
      expect_near(run_kernel_sliced(MaxPool2DSelectOp(test.window), {x, index}, 2, {true, true}), expected, 0.0);
    }
  }
}

TEST(AveragePool2D, KernelsMatchLoops) {
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.x.to_string() + " " + test.window.to_string());
    for (const DType dtype : {float32, float64}) {
      const Tensor x = random_tensor(test.x, dtype, 1);
      const AveragePool2DOp op(test.window);
      const Tensor pooled = run_kernel(op, {x});
      const Tensor dy = random_tensor(pooled.shape(), dtype, 2);
      const std::vector<double> xs = x.to_vector();
      const std::vector<double> dys = dy.to_vector();
      std::vector<double> expected(dys.size());
      std::vector<double> cells(dys.size());
      std::vector<double> dx(xs.size());
      for_each_cell(test, [&](std::size_t i, std::size_t j, std::int64_t) {
        expected[i] += xs[j];
        ++cells[i];
      });
      for_each_cell(test, [&](std::size_t i, std::size_t j, std::int64_t) { dx[j] += dys[i] / cells[i]; });
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] /= cells[i];
      const double error = dtype == float32 ? 2e-5 : 1e-14;
      const AveragePool2DGradientOp gradient(test.x[1], test.x[2], test.window);
      expect_near(pooled, expected, error);
      expect_near(run_kernel(gradient, {dy}), dx, error);
      expect_near(run_kernel_sliced(op, {x}, 2, {true}), expected, error);
      expect_near(run_kernel_sliced(gradient, {dy}, 1, {true}), dx, error);
    }
  }
}

TEST(Pool2D, GradientsAreNumericallyRight) {
  for (const Case& test : cases()) {
    if (test.x[3] > 3) continue;
    SCOPED_TRACE(test.x.to_string() + " " + test.window.to_string());
    const Tensor x = random_tensor(test.x, float64, 1);
    check_gradients(std::make_shared<const MaxPool2DOp>(test.window), {x});
    check_gradients(std::make_shared<const AveragePool2DOp>(test.window), {x});
    const auto [pooled, index] = max_pool2d_with_index(x, test.window);
    const Tensor dy = random_tensor(pooled.shape(), float64, 2);
    check_gradients(std::make_shared<const MaxPool2DGradientOp>(test.x[1], test.x[2], test.window), {dy, index},
                    {true, false});
    check_gradients(std::make_shared<const MaxPool2DSelectOp>(test.window), {x, index}, {true, false});
    check_gradients(std::make_shared<const AveragePool2DGradientOp>(test.x[1], test.x[2], test.window), {dy});
  }
}

TEST(MaxPool2D, TheFirstOfEqualCellsTakesTheGradient) {
  for (const std::int64_t channels : {1, 16, 35}) {
    const Tensor x = Tensor::full({1, 2, 2, channels}, 3.0);
    const auto [pooled, index] = max_pool2d_with_index(x);
    EXPECT_EQ(pooled.to_vector(), std::vector<double>(static_cast<std::size_t>(channels), 3.0));
    EXPECT_EQ(index.to_vector(), std::vector<double>(static_cast<std::size_t>(channels), 0.0));
  }
}

TEST(MaxPool2D, NumbersBeatNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::int64_t channels : {1, 8, 16, 19}) {
    const auto pooled = [&](const std::vector<double>& cells) {
      std::vector<double> values;
      for (const double cell : cells) values.insert(values.end(), static_cast<std::size_t>(channels), cell);
      const auto [y, index] = max_pool2d_with_index(Tensor::from_data(Shape{1, 2, 2, channels}, values));
      for (const double element : y.to_vector()) {
        EXPECT_TRUE(element == y.to_vector()[0] || std::isnan(element));
      }
      return std::pair(y.to_vector().back(), index.to_vector().back());
    };
    EXPECT_EQ(pooled({nan, -1, 2, nan}), std::pair(2.0, 2.0));
    EXPECT_EQ(pooled({nan, nan, nan, -5}), std::pair(-5.0, 3.0));
    EXPECT_EQ(pooled({-infinity, -infinity, -infinity, -infinity}), std::pair(-infinity, 0.0));
    EXPECT_TRUE(std::isnan(pooled({nan, nan, nan, nan}).first));
  }
}

TEST(Pool2D, IndexIsWideForLargeWindows) {
  const Pool2DAttributes large = {.pool_size = {17, 16}, .strides = {17, 16}};
  const Tensor x = random_tensor({1, 17, 16, 18}, float32, 1);
  EXPECT_EQ(max_pool2d_with_index(x, large).second.dtype(), int32);
  EXPECT_EQ(max_pool2d_with_index(x, {.pool_size = {16, 16}, .strides = {1, 1}}).second.dtype(), uint8);
}

TEST(MaxPool2D, TakesIntegers) {
  const Pool2DAttributes window = {.pool_size = {2, 2}, .strides = {1, 2}, .padding = same};
  const Tensor x = multiply(random_tensor({2, 5, 6, 3}, float32, 1), 100.0f);
  for (const DType dtype : {uint8, int32, int64}) {
    const Tensor integers = cast(dtype == uint8 ? abs(x) : x, dtype);
    const Tensor pooled = max_pool2d(integers, window);
    EXPECT_EQ(pooled.dtype(), dtype);
    EXPECT_EQ(pooled.to_vector(), max_pool2d(cast(integers, float64), window).to_vector());
  }
  // Below any padding, and closer to each other than numbers of float64 are.
  const std::int64_t large = std::int64_t{1} << 60;
  const Tensor negative = Tensor::from_data<std::int64_t>({1, 1, 3, 1}, {-large, -large - 1, -large - 2});
  EXPECT_THAT(max_pool2d(negative, {.pool_size = {2, 2}, .strides = {1, 1}, .padding = same}).elements<std::int64_t>(),
              testing::ElementsAre(-large, -large - 1, -large - 2));
  EXPECT_THROW(max_pool2d(Tensor::zeros({1, 2, 2, 1}, bool_)), InvalidArgumentError);
}

TEST(Pool2D, SaysWhatIsWrong) {
  try {
    max_pool2d(Tensor::zeros({1, 2, 2, 3}), {.pool_size = {5, 5}, .strides = {1, 1}});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "Computed output size would be negative. Received: `inputs.shape=(1, 2, 2, 3)` and "
                 "`pool_size=(5, 5)`.");
  }
  EXPECT_THROW(average_pool2d(Tensor::zeros({2, 2, 3})), InvalidArgumentError);
  EXPECT_THROW(padding_from_name("full"), ValueError);
  EXPECT_EQ(padding_from_name("SAME"), Padding::same);
}

}  // namespace
}  // namespace rhyton::pooling_tests
