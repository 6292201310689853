// A convolution, its activation and the max-pooling after it as one op, compared with the separate ops bit for bit.

#include <rhyton/framework/ops/conv_max_pool.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu::conv_max_pool_tests {
namespace {

/// The result of pooling, and of the pooling's derivative for a gradient of ones.
struct Pooled {
  Tensor values;
  Tensor index;
  Tensor gradient;
};

std::vector<Tensor> on_gpu(const Op& op, const std::vector<Tensor>& inputs) {
  const DeviceScope scope(first_gpu());
  return run_kernel(op, inputs, static_cast<GpuStream&>(first_gpu().stream()));
}

Tensor gradient_of(const Tensor& values, const Tensor& index, const Shape& x, const Pool2DAttributes& pool) {
  const Tensor ones = Tensor::full(values.shape(), 1.0, values.dtype());
  return on_gpu(MaxPool2DGradientOp(x[1], x[2], pool), {ones, index})[0];
}

struct Case {
  Shape x;
  Shape kernel;
  Pool2DAttributes pool = {};
  Epilogue activation = Epilogue::relu;
  bool has_bias = true;
  std::optional<double> planted = std::nullopt;

  std::vector<Tensor> inputs(DType dtype) const {
    const DeviceScope scope(cpu());
    Tensor images = test::random_tensor(x, 1, -1, 1, float64);
    if (planted) {
      // One planted value in the first window, nothing else in the last one.
      double* const data = images.mutable_data<double>();
      data[0] = *planted;
      for (std::int64_t i = x.size() * 3 / 4; i < x.size(); ++i) data[i] = *planted;
    }
    std::vector<Tensor> result = {images.cast(dtype), test::random_tensor(kernel, 2, -1, 1, float64).cast(dtype)};
    if (has_bias) result.push_back(test::random_tensor({kernel[3]}, 3, -1, 1, float64).cast(dtype));
    return result;
  }

  Pooled separately(DType dtype) const {
    const Tensor y = on_gpu(FusedConv2DOp(activation), inputs(dtype))[0];
    const std::vector<Tensor> outputs = on_gpu(MaxPool2DOp(pool), {y});
    Tensor gradient = gradient_of(outputs[0], outputs[1], y.shape(), pool);
    if (activation == Epilogue::relu) {
      const std::vector<double> passes = y.to_vector();
      std::vector<double> masked = gradient.to_vector();
      for (std::size_t i = 0; i < masked.size(); ++i) masked[i] = passes[i] > 0 ? masked[i] : 0;
      gradient = Tensor::from_data(gradient.shape(), masked).cast(dtype);
    }
    return {outputs[0], outputs[1], gradient};
  }

  Pooled together(DType dtype) const {
    const FusedConv2DMaxPoolOp op(FusedConv2DOp(activation), pool);
    const std::vector<Tensor> in = inputs(dtype);
    const std::vector<Tensor> outputs = on_gpu(op, in);
    const Shape y = op.convolution().infer(specs_of(in))[0].shape;
    return {outputs[0], outputs[1], gradient_of(outputs[0], outputs[1], y, pool)};
  }

  static std::vector<TensorSpec> specs_of(const std::vector<Tensor>& tensors) {
    std::vector<TensorSpec> specs;
    for (const Tensor& tensor : tensors) specs.push_back(tensor.spec());
    return specs;
  }
};

/// Equal numbers, or NaN in both.
void expect_same(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.shape(), expected.shape());
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> b = expected.to_vector();
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) << i << ": " << a[i] << ", expected " << b[i];
  }
}

void expect_like_separate_ops(const Case& test) {
  for (const DType dtype : {float32, float64, float16, bfloat16}) {
    SCOPED_TRACE(std::string(name_of(dtype)) + " " + test.x.to_string() + " " + test.kernel.to_string());
    const Pooled expected = test.separately(dtype);
    const Pooled actual = test.together(dtype);
    expect_same(actual.values, expected.values);
    expect_same(actual.gradient, expected.gradient);
    if (test.activation == Epilogue::none) expect_same(actual.index, expected.index);
    const FusedConv2DMaxPoolOp without_index(FusedConv2DOp(test.activation), test.pool, false);
    const std::vector<Tensor> outputs = on_gpu(without_index, test.inputs(dtype));
    ASSERT_EQ(outputs.size(), 1U);
    expect_same(outputs[0], expected.values);
  }
}

TEST(GpuConvMaxPool, GivesWhatTheSeparateOpsGive) {
  // Few channels, many, numbers of filters that packs do not divide; windows that overlap or skip cells.
  expect_like_separate_ops({.x = {3, 9, 8, 1}, .kernel = {3, 3, 1, 8}});
  expect_like_separate_ops({.x = {2, 7, 7, 16}, .kernel = {3, 3, 16, 24}});
  expect_like_separate_ops({.x = {2, 8, 9, 17}, .kernel = {2, 3, 17, 5}, .pool = {{3, 2}, {2, 1}, Padding::same}});
}

TEST(GpuConvMaxPool, GivesWhatTheSeparateOpsGiveInOneKernel) {
  // Windows that the image ends in, filters that packs do not divide, several channels, more than one block.
  expect_like_separate_ops({.x = {2, 9, 8, 1}, .kernel = {3, 3, 1, 8}, .pool = {{2, 2}, {2, 2}, Padding::same}});
  expect_like_separate_ops({.x = {2, 6, 7, 3}, .kernel = {3, 2, 3, 5}, .pool = {{2, 2}, {2, 2}, Padding::same}});
  expect_like_separate_ops({.x = {5, 28, 28, 1}, .kernel = {3, 3, 1, 32}, .activation = Epilogue::none});
  expect_like_separate_ops({.x = {2, 7, 7, 2}, .kernel = {3, 3, 2, 6}, .has_bias = false});
}

TEST(GpuConvMaxPool, NeedsNeitherBiasNorActivation) {
  expect_like_separate_ops({.x = {2, 7, 7, 16}, .kernel = {3, 3, 16, 8}, .has_bias = false});
  expect_like_separate_ops({.x = {2, 7, 7, 16}, .kernel = {3, 3, 16, 8}, .activation = Epilogue::none});
}

TEST(GpuConvMaxPool, NotANumberLosesAndStaysWhereNothingElseIs) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_like_separate_ops({.x = {2, 9, 8, 1}, .kernel = {3, 3, 1, 8}, .planted = nan});
  expect_like_separate_ops({.x = {2, 7, 7, 16}, .kernel = {3, 3, 16, 24}, .planted = nan});
}

/// A convolution, and the pooling after it, whose parameters' gradients are computed from the pooled gradient.
struct GradientCase {
  Shape x;
  Shape kernel;
  Conv2DAttributes window = {};
  Pool2DAttributes pool = {};
};

/// Within `tolerance` of the largest number.
void expect_close(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.shape(), expected.shape());
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> b = expected.to_vector();
  double largest = 0;
  for (const double value : b) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance * largest) << i;
}

void expect_dense_gradients(const GradientCase& test, const std::vector<DType>& dtypes) {
  SCOPED_TRACE(test.x.to_string() + " " + test.kernel.to_string());
  const DeviceScope scope(cpu());
  const TensorSpec y =
      Conv2DOp(test.window).infer(std::vector<TensorSpec>{{test.x, float64}, {test.kernel, float64}})[0];
  const Shape pooled = MaxPool2DOp(test.pool).infer(std::vector<TensorSpec>{y})[0].shape;
  // Every position of a window inside the image, and none. The last window may have cells outside.
  const auto positions = static_cast<double>(no_cell(test.pool));
  const Tensor index = test::random_tensor(pooled, 4, 0, positions + 0.99, float64).cast(uint8);
  for (const DType dtype : dtypes) {
    SCOPED_TRACE(std::string(name_of(dtype)));
    const Tensor x = test::random_tensor(test.x, 5, -1, 1, float64).cast(dtype);
    const Tensor dy = test::random_tensor(pooled, 6, -1, 1, float64).cast(dtype);
    const Tensor dense = on_gpu(MaxPool2DGradientOp(y.shape[1], y.shape[2], test.pool), {dy.cast(float64), index})[0];
    const Tensor kernel_gradient =
        on_gpu(Conv2DKernelGradientOp(test.kernel[0], test.kernel[1], test.window), {x.cast(float64), dense})[0];
    const Conv2DMaxPoolKernelGradientOp op(test.kernel[0], test.kernel[1], test.window, test.pool);
    const std::vector<Tensor> actual = on_gpu(op, {x, dy, index});
    const double tolerance = dtype == float64 ? 1e-12 : dtype == float32 ? 1e-5 : dtype == float16 ? 1e-3 : 8e-3;
    expect_close(actual[0], kernel_gradient, tolerance);
    expect_close(actual[1], sum(dense, {0, 1, 2}), tolerance);
    expect_same(on_gpu(op, {x, dy, index})[0], actual[0]);
  }
}

TEST(GpuConvMaxPool, KernelGradientsOfFewChannelsAreThoseOfTheDenseForm) {
  const auto same = Padding::same;
  const std::vector<DType> dtypes = {float32, float64, float16, bfloat16};
  expect_dense_gradients({.x = {3, 9, 8, 1}, .kernel = {3, 3, 1, 8}}, dtypes);
  // Several chunks of weights, blocks of filters that are not full, groups.
  expect_dense_gradients({.x = {2, 12, 12, 3}, .kernel = {3, 3, 3, 70}}, dtypes);
  expect_dense_gradients({.x = {2, 8, 9, 4}, .kernel = {2, 3, 2, 6}, .window = {.groups = 2}}, dtypes);
  expect_dense_gradients({.x = {2, 11, 12, 1},
                          .kernel = {3, 3, 1, 5},
                          .window = {.strides = {2, 1}, .padding = same, .dilation_rate = {1, 2}},
                          .pool = {{3, 2}, {2, 1}, same}},
                         dtypes);
  // Many splits.
  expect_dense_gradients({.x = {70, 28, 28, 1}, .kernel = {3, 3, 1, 32}}, {float32});
}

TEST(GpuConvMaxPool, KernelGradientsOfManyChannelsAreThoseOfTheDenseForm) {
  const auto same = Padding::same;
  const std::vector<DType> dtypes = {float32, float16, bfloat16};
  expect_dense_gradients({.x = {2, 8, 9, 32}, .kernel = {3, 3, 32, 64}}, dtypes);
  expect_dense_gradients({.x = {2, 8, 9, 64}, .kernel = {2, 3, 64, 6}}, dtypes);
  expect_dense_gradients({.x = {2, 9, 8, 32},
                          .kernel = {3, 3, 32, 34},
                          .window = {.strides = {1, 2}, .padding = same},
                          .pool = {{3, 2}, {2, 1}, same}},
                         dtypes);
  expect_dense_gradients({.x = {60, 13, 13, 32}, .kernel = {3, 3, 32, 64}}, {float32});
}

TEST(GpuConvMaxPool, KernelGradientsOfTheseImagesAreLeftToTheDenseForm) {
  const auto accepts = [](const Shape& x, const Shape& kernel, DType dtype) {
    const Conv2DMaxPoolKernelGradientOp op(kernel[0], kernel[1], {}, {});
    const TensorSpec y = Conv2DOp(Conv2DAttributes()).infer(std::vector<TensorSpec>{{x, dtype}, {kernel, dtype}})[0];
    const TensorSpec pooled = MaxPool2DOp(Pool2DAttributes()).infer(std::vector<TensorSpec>{y})[0];
    const std::vector<TensorSpec> inputs = {{x, dtype}, pooled, {pooled.shape, uint8}};
    return gpu_kernels().get(op, inputs).accepts(op, inputs, op.infer(inputs));
  };
  EXPECT_TRUE(accepts({2, 8, 8, 1}, {3, 3, 1, 8}, float32));
  EXPECT_TRUE(accepts({2, 8, 8, 32}, {3, 3, 32, 8}, float32));
  // Channels that no warp divides, more than fits into a block's memory, numbers that are too wide, too many products.
  EXPECT_FALSE(accepts({2, 8, 8, 16}, {3, 3, 16, 8}, float32));
  EXPECT_FALSE(accepts({2, 8, 8, 48}, {3, 3, 48, 8}, float32));
  EXPECT_FALSE(accepts({2, 40, 40, 32}, {3, 3, 32, 8}, float32));
  EXPECT_FALSE(accepts({2, 8, 8, 32}, {3, 3, 32, 8}, float64));
  EXPECT_FALSE(accepts({4096, 8, 8, 32}, {3, 3, 32, 64}, float32));
  EXPECT_FALSE(accepts({0, 8, 8, 32}, {3, 3, 32, 8}, float32));
}

TEST(GpuConvMaxPool, GivesNothingForAnEmptyBatch) {
  const std::vector<Tensor> outputs =
      on_gpu(FusedConv2DMaxPoolOp(FusedConv2DOp(Epilogue::relu), {}),
             {Tensor::zeros({0, 8, 8, 16}), test::random_tensor({3, 3, 16, 8}, 2).to(cpu()), Tensor::zeros({8})});
  EXPECT_EQ(outputs[0].shape(), (Shape{0, 3, 3, 8}));
}

}  // namespace
}  // namespace rhyton::gpu::conv_max_pool_tests
