#include <rhyton/framework/ops/conv.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <rhyton/framework/backends/gpu/conv/direct.h>
#include <rhyton/tests/framework/backends/gpu/conv_checks.h>

namespace rhyton::gpu::conv_checks {
namespace {

TEST_F(GpuConv, ConvolvesImagesOfFewChannels) {
  for (const DType dtype : dtypes) {
    check_all({{2, 28, 28, 1}, {3, 3, 1, 32}}, dtype);
    check_all({{1, 9, 11, 3}, {5, 3, 3, 7}, {.padding = Padding::same}}, dtype);
    check_all({{3, 10, 7, 4}, {3, 3, 4, 33}, {.strides = {2, 2}, .padding = Padding::same}}, dtype);
    check_all({{2, 12, 13, 2}, {3, 3, 2, 20}, {.dilation_rate = {2, 2}}}, dtype);
  }
}

TEST_F(GpuConv, ConvolvesImagesOfManyChannels) {
  for (const DType dtype : dtypes) {
    check_all({{2, 11, 11, 32}, {3, 3, 32, 64}}, dtype);
    check_all({{1, 7, 9, 5}, {3, 3, 5, 3}, {.padding = Padding::same}}, dtype);
    check_all({{2, 6, 5, 31}, {1, 1, 31, 33}}, dtype);
    check_all({{3, 9, 8, 6}, {3, 3, 6, 10}, {.dilation_rate = {2, 2}, .groups = 1}}, dtype);
  }
}

TEST_F(GpuConv, ConvolvesImagesInFloat64) {
  check_all({{2, 11, 11, 32}, {3, 3, 32, 64}}, float64);
  check_all({{2, 9, 8, 12}, {3, 3, 6, 10}, {.strides = {2, 2}, .padding = Padding::same, .groups = 2}}, float64);
  check_all({{2, 12, 13, 2}, {3, 3, 2, 20}, {.dilation_rate = {2, 2}}}, float64);
}

TEST_F(GpuConv, PadsMoreBelowAndOnTheRightThanAboveAndOnTheLeft) {
  for (const DType dtype : dtypes) {
    check_all({{2, 8, 8, 8}, {3, 3, 8, 9}, {.strides = {2, 2}, .padding = Padding::same}}, dtype);
    check_all({{1, 9, 6, 5}, {2, 4, 5, 6}, {.padding = Padding::same}}, dtype);
    check_all({{2, 7, 10, 6}, {3, 2, 6, 4}, {.strides = {1, 3}, .padding = Padding::same}}, dtype);
  }
}

TEST_F(GpuConv, ConvolvesGroupsOfChannels) {
  for (const DType dtype : dtypes) {
    check_all({{2, 7, 7, 12}, {3, 3, 6, 10}, {.padding = Padding::same, .groups = 2}}, dtype);
    check_all({{2, 7, 6, 33}, {3, 3, 1, 33}, {.padding = Padding::same, .groups = 33}}, dtype);
    check_all({{1, 8, 8, 3}, {3, 3, 1, 12}, {.strides = {2, 2}, .padding = Padding::same, .groups = 3}}, dtype);
    check_all({{1, 12, 12, 2}, {9, 9, 1, 40}, {.padding = Padding::same, .groups = 2}}, dtype);
  }
}

TEST_F(GpuConv, TakesKernelsLargerThanTheImages) {
  for (const DType dtype : dtypes) {
    check_all({{2, 2, 3, 8}, {5, 7, 8, 6}, {.padding = Padding::same}}, dtype);
    check_all({{2, 2, 3, 1}, {5, 7, 1, 6}, {.padding = Padding::same}}, dtype);
  }
}

TEST_F(GpuConv, LeavesOutRowsThatNoWindowReaches) {
  for (const DType dtype : dtypes) {
    check_all({{1, 11, 12, 8}, {2, 2, 8, 5}, {.strides = {4, 5}}}, dtype);
    check_all({{1, 11, 12, 3}, {2, 2, 3, 5}, {.strides = {4, 5}}}, dtype);
  }
}

TEST_F(GpuConv, TakesEmptyTensors) {
  for (const DType dtype : dtypes) {
    check_all({{0, 8, 8, 8}, {3, 3, 8, 8}}, dtype);
    check_all({{2, 2, 8, 8}, {3, 3, 8, 8}}, dtype);
    check_all({{2, 8, 8, 0}, {3, 3, 0, 8}}, dtype);
    check_all({{2, 8, 8, 8}, {3, 3, 8, 0}}, dtype);
  }
}

TEST_F(GpuConv, AddsABiasAndCutsOffWhatIsNegative) {
  for (const DType dtype : dtypes) {
    for (const std::int64_t channels : {1, 8}) {
      const Tensor x = random_of({2, 6, 5, channels}, dtype, 5);
      const Tensor kernel = random_of({3, 3, channels, 9}, dtype, 6);
      const Tensor bias = random_of({9}, dtype, 7);
      for (const Epilogue epilogue : {Epilogue::none, Epilogue::relu}) {
        check(std::make_shared<FusedConv2DOp>(epilogue), {x, kernel});
        check(std::make_shared<FusedConv2DOp>(epilogue), {x, kernel, bias});
      }
    }
  }
}

TEST_F(GpuConv, KeepsNotANumberThroughRelu) {
  for (const bool tensor_float_32 : {false, true}) {
    context().enable_tensor_float_32_execution(tensor_float_32);
    for (const DType dtype : dtypes) {
      for (const auto& [channels, filters] : {std::pair{1, 5}, std::pair{8, 5}, std::pair{32, 64}}) {
        const DeviceScope scope(cpu());
        const Tensor x = Tensor::full({1, 6, 6, channels}, std::numeric_limits<double>::quiet_NaN(), dtype);
        const Tensor kernel = random_of({3, 3, channels, filters}, dtype, 8);
        const Tensor bias = random_of({filters}, dtype, 9);
        for (const double value : on_gpu(FusedConv2DOp(Epilogue::relu), {x, kernel, bias}).to_vector()) {
          EXPECT_TRUE(std::isnan(value));
        }
      }
    }
  }
}

TEST_F(GpuConv, SumsKernelGradientsOverManyPixels) {
  for (const DType dtype : dtypes) {
    check(std::make_shared<Conv2DKernelGradientOp>(3, 3),
          {random_of({9, 28, 28, 1}, dtype, 10), random_of({9, 26, 26, 32}, dtype, 11)});
    check(std::make_shared<Conv2DKernelGradientOp>(1, 1),
          {random_of({9, 13, 13, 6}, dtype, 12), random_of({9, 13, 13, 8}, dtype, 13)});
  }
}

TEST(GpuConvRoute, OnlyFewChannelsGoToTheDirectKernels) {
  EXPECT_TRUE(is_direct({float32, {64, 28, 28, 1}, {3, 3, 1, 32}, {}}));
  EXPECT_TRUE(is_direct({float32, {64, 28, 28, 64}, {3, 3, 1, 64}, {.groups = 64}}));
  EXPECT_FALSE(is_direct({float32, {64, 13, 13, 32}, {3, 3, 32, 64}, {}}));
  EXPECT_FALSE(is_direct({float32, {64, 224, 224, 3}, {7, 7, 3, 64}, {}}));
}

}  // namespace
}  // namespace rhyton::gpu::conv_checks
