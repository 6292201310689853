#include <rhyton/framework/ops/batch_normalization.h>

#include <gtest/gtest.h>

#include <limits>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/elementwise_op.h>
#include <rhyton/framework/ops/fused_batch_normalization.h>
#include <rhyton/tests/framework/backends/gpu/cpu_reference.h>

namespace rhyton::gpu::batch_normalization_tests {
namespace {

constexpr double epsilon = 1e-3;

/// Channels that fill packs and that do not, few rows and enough to be combined from parts.
std::vector<Shape> shapes() {
  return {{1, 1},    {3, 1},         {31, 3},        {33, 31},         {5, 257}, {4, 3, 3, 8},
          {2, 1024}, {64, 5, 5, 32}, {9, 33, 33, 3}, {20, 20, 20, 16}, {300, 33}};
}

/// The dtype in which values per channel of images of that dtype are computed.
DType dtype_of_channels(DType images) { return is_half(images) ? float32 : images; }

Tensor channels_of(const Shape& shape, DType images, std::uint64_t seed, double low = -1) {
  return random_of({shape.at(-1)}, dtype_of_channels(images), seed, low, 1);
}

TEST(GpuBatchNormalization, IsTheCpusForEachNumberOfChannels) {
  for (const DType dtype : floating_dtypes) {
    for (const Shape& shape : shapes()) {
      expect_as_on_cpu(BatchNormalizationOp(epsilon),
                       {random_of(shape, dtype, 1, -2, 3), channels_of(shape, dtype, 2),
                        channels_of(shape, dtype, 3, 0.1), channels_of(shape, dtype, 4), channels_of(shape, dtype, 5)});
    }
  }
}

TEST(GpuBatchNormalization, MomentsAreTheCpus) {
  for (const DType dtype : floating_dtypes) {
    for (const Shape& shape : shapes()) expect_as_on_cpu(ChannelMomentsOp(), {random_of(shape, dtype, 1, -2, 3)});
  }
}

// E(x²) - E(x)² in float32 would give 0 or a negative number.
TEST(GpuBatchNormalization, TheVarianceOfLargeNumbersIsExact) {
  for (const Shape& shape : shapes()) {
    if (shape.size() / shape.at(-1) < 2) continue;
    const Tensor x = add(cast(random_of(shape, float32, 1, -8, 8), int32), 4096).cast(float32);
    const std::vector<Tensor> moments = run_kernel(ChannelMomentsOp(), std::vector<Tensor>{x}, test_stream());
    expect_close(moments[1], run_on_cpu(ChannelMomentsOp(), {x})[1], 1e-5);
  }
}

// One number far from all others: the first, which is the reference for distances, and others within a thread's work, a
// block's and a part's.
TEST(GpuBatchNormalization, AnOutlierLeavesTheVarianceExact) {
  for (const Shape& shape : std::vector<Shape>{{300, 1}, {5000, 8}}) {
    for (const std::int64_t row : {0, 1, 5, 127, 128, 299, 1023, 1024, 4999}) {
      if (row >= shape[0]) continue;
      Tensor x = random_of(shape, float32, 1);
      for (std::int64_t channel = 0; channel < shape[1]; ++channel) {
        x.mutable_data<float>()[row * shape[1] + channel] = 1e6F;
      }
      const std::vector<Tensor> moments = run_kernel(ChannelMomentsOp(), std::vector<Tensor>{x}, test_stream());
      expect_close(moments[1], run_on_cpu(ChannelMomentsOp(), {x})[1], 1e-6);
    }
  }
}

TEST(GpuBatchNormalization, NotANumberIsThatOfItsChannelOnly) {
  for (const std::int64_t row : {0, 77, 4999}) {
    Tensor x = random_of({5000, 8}, float32, 1);
    x.mutable_data<float>()[row * 8 + 3] = std::numeric_limits<float>::quiet_NaN();
    expect_as_on_cpu(ChannelMomentsOp(), {x});
  }
}

TEST(GpuBatchNormalization, SumsForTheGradientAreTheCpus) {
  for (const DType dtype : floating_dtypes) {
    for (const Shape& shape : shapes()) {
      expect_as_on_cpu(BatchNormalizationSumsOp(), {random_of(shape, dtype, 1, 0, 1), random_of(shape, dtype, 2, 1, 2),
                                                    channels_of(shape, dtype, 3)});
    }
  }
}

TEST(GpuBatchNormalization, TheInputGradientIsTheCpus) {
  for (const DType dtype : floating_dtypes) {
    for (const Shape& shape : shapes()) {
      const double count = static_cast<double>(shape.size()) / static_cast<double>(shape.at(-1));
      expect_as_on_cpu(BatchNormalizationInputGradientOp(epsilon, count),
                       {random_of(shape, dtype, 1), random_of(shape, dtype, 2, -2, 3), channels_of(shape, dtype, 3),
                        channels_of(shape, dtype, 4, 0.1), channels_of(shape, dtype, 5), channels_of(shape, dtype, 6),
                        channels_of(shape, dtype, 7)});
    }
  }
}

std::vector<Tensor> on_gpu(const Op& op, const std::vector<Tensor>& inputs) {
  return run_kernel(op, inputs, test_stream());
}

/// x, mean, variance, gamma and beta.
std::vector<Tensor> random_inputs(const Shape& shape, DType dtype) {
  return {random_of(shape, dtype, 1, -2, 3), channels_of(shape, dtype, 2), channels_of(shape, dtype, 3, 0.1),
          channels_of(shape, dtype, 4), channels_of(shape, dtype, 5)};
}

/// The op of the gradient of `relu`.
class ReluGradient final : public ElementwiseOp {
 public:
  std::string_view name() const override { return "ReluGrad"; }

 protected:
  DType output_dtype(DType input) const override { return input; }
};

TEST(GpuFusedBatchNormalization, ItGivesTheBitsOfOneOpAfterTheOther) {
  for (const DType dtype : floating_dtypes) {
    for (const Shape& shape : shapes()) {
      std::vector<Tensor> inputs = random_inputs(shape, dtype);
      const std::vector<Tensor> plain = on_gpu(BatchNormalizationOp(epsilon), inputs);
      const OpPtr relu_op = op_of([&] { relu(plain[0]); });
      EXPECT_TRUE(
          test::same_bits(on_gpu(FusedBatchNormalizationOp(Epilogue::relu, epsilon), inputs), on_gpu(*relu_op, plain)));
      EXPECT_TRUE(test::same_bits(on_gpu(FusedBatchNormalizationOp(Epilogue::none, epsilon), inputs), plain));

      const Tensor side_input = random_of(shape, dtype, 6);
      const OpPtr add_op = op_of([&] { add(plain[0], side_input); });
      const std::vector<Tensor> sum = on_gpu(*add_op, {plain[0], side_input});
      inputs.push_back(side_input);
      EXPECT_TRUE(test::same_bits(on_gpu(FusedBatchNormalizationOp(Epilogue::none, epsilon), inputs), sum));
      EXPECT_TRUE(
          test::same_bits(on_gpu(FusedBatchNormalizationOp(Epilogue::relu, epsilon), inputs), on_gpu(*relu_op, sum)));
    }
  }
}

/// Expects the gradients of ReLU and of the normalization in sequence, bit for bit.
void expect_gradients_behind_relu(const std::vector<Tensor>& inputs, const Tensor& dy) {
  const Shape& shape = dy.shape();
  const Tensor y = on_gpu(FusedBatchNormalizationOp(Epilogue::relu, epsilon), inputs)[0];
  const Tensor masked = on_gpu(ReluGradient(), {dy, y})[0];

  std::vector<Tensor> fused = {dy};
  fused.insert(fused.end(), inputs.begin(), inputs.end());
  const std::vector<Tensor> sums = on_gpu(BatchNormalizationSumsOp(), {masked, inputs[0], inputs[1]});
  EXPECT_TRUE(test::same_bits(on_gpu(FusedBatchNormalizationSumsOp(epsilon), fused), sums));

  fused.insert(fused.end(), sums.begin(), sums.end());
  const double count = static_cast<double>(shape.size()) / static_cast<double>(shape.at(-1));
  EXPECT_TRUE(test::same_bits(on_gpu(FusedBatchNormalizationInputGradientOp(epsilon, count), fused),
                              on_gpu(BatchNormalizationInputGradientOp(epsilon, count),
                                     {masked, inputs[0], inputs[1], inputs[2], inputs[3], sums[0], sums[1]})));
}

TEST(GpuFusedBatchNormalization, ItsGradientsAreThoseBehindRelusGradient) {
  for (const DType dtype : floating_dtypes) {
    for (const Shape& shape : shapes()) {
      expect_gradients_behind_relu(random_inputs(shape, dtype), random_of(shape, dtype, 6));
    }
  }
}

// ReLU sees the rounded value, and passes no gradient at zero.
TEST(GpuFusedBatchNormalization, WhatIsRoundedToZeroPassesNoGradient) {
  const Shape shape = {40, 8};
  for (const DType dtype : floating_dtypes) {
    for (const double gamma : dtype == float16 ? std::vector<double>{0.0, 1e-9} : std::vector<double>{0.0}) {
      std::vector<Tensor> inputs = random_inputs(shape, dtype);
      inputs[3] = Tensor::full({8}, gamma, dtype_of_channels(dtype));
      inputs[4] = Tensor::zeros({8}, dtype_of_channels(dtype));
      const Tensor dy = random_of(shape, dtype, 6, 1, 2);
      std::vector<Tensor> all = {dy};
      all.insert(all.end(), inputs.begin(), inputs.end());
      for (const Tensor& sums : on_gpu(FusedBatchNormalizationSumsOp(epsilon), all)) {
        EXPECT_EQ(sums.to_vector(), std::vector<double>(8, 0.0)) << name_of(dtype);
      }
      expect_gradients_behind_relu(inputs, dy);
    }
  }
}

TEST(GpuFusedBatchNormalization, NotANumberPassesNoGradient) {
  std::vector<Tensor> inputs = random_inputs({40, 8}, float32);
  inputs[0].mutable_data<float>()[11] = std::numeric_limits<float>::quiet_NaN();
  expect_gradients_behind_relu(inputs, random_of({40, 8}, float32, 6));
}

TEST(GpuFusedBatchNormalization, NoSamplesAndNoChannelsNeedNothing) {
  for (const Shape& shape : std::vector<Shape>{{0, 5}, {5, 0}}) {
    const Tensor none = Tensor::zeros(shape);
    const Tensor row = Tensor::full({shape[1]}, 1);
    const std::vector<Tensor> y =
        on_gpu(FusedBatchNormalizationOp(Epilogue::relu, epsilon), {none, row, row, row, row, none});
    EXPECT_EQ(y[0].shape(), shape);
    const std::vector<Tensor> sums = on_gpu(FusedBatchNormalizationSumsOp(epsilon), {none, none, row, row, row, row});
    EXPECT_EQ(sums[1].to_vector(), std::vector<double>(static_cast<std::size_t>(shape[1]), 0.0));
    const FusedBatchNormalizationInputGradientOp gradient(epsilon, 0);
    EXPECT_EQ(on_gpu(gradient, {none, none, row, row, row, row, sums[0], sums[1]})[0].shape(), shape);
  }
}

TEST(GpuBatchNormalization, NoSamplesHaveSumsOfZeroAndNoMoments) {
  for (const DType dtype : floating_dtypes) {
    const Tensor none = Tensor::zeros({0, 5}, dtype);
    const Tensor row = Tensor::full({5}, 1, dtype_of_channels(dtype));
    expect_as_on_cpu(ChannelMomentsOp(), {none});
    expect_as_on_cpu(BatchNormalizationSumsOp(), {none, none, row});
    expect_as_on_cpu(BatchNormalizationOp(epsilon), {none, row, row, row, row});
    expect_as_on_cpu(BatchNormalizationInputGradientOp(epsilon, 0), {none, none, row, row, row, row, row});
  }
}

TEST(GpuBatchNormalization, NoChannelsNeedNothing) {
  const Tensor none = Tensor::zeros({5, 0});
  const Tensor row = Tensor::zeros({0});
  expect_as_on_cpu(ChannelMomentsOp(), {none});
  expect_as_on_cpu(BatchNormalizationSumsOp(), {none, none, row});
  expect_as_on_cpu(BatchNormalizationOp(epsilon), {none, row, row, row, row});
  expect_as_on_cpu(BatchNormalizationInputGradientOp(epsilon, 5), {none, none, row, row, row, row, row});
}

}  // namespace
}  // namespace rhyton::gpu::batch_normalization_tests
