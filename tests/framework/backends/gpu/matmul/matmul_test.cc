#include <rhyton/framework/ops/matmul.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/tests/framework/backends/gpu/matmul/product_checks.h>
#include <rhyton/tests/framework/backends/gpu/on_gpu.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>
#ifdef RHYTON_CUDA_EMULATION
#include <rhyton/tests/cuda_emulation/cublas_lt_emulation.h>
#endif

namespace rhyton::gpu::matmul_tests {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST_F(GpuMatMul, MultipliesMatricesOfAllShapes) {
  const std::vector<Lengths> all = {{1, 1, 1},    {1, 257, 1},   {257, 1, 257}, {1, 33, 257},
                                    {257, 31, 1}, {3, 31, 33},   {33, 3, 31},   {31, 257, 3},
                                    {64, 64, 64}, {257, 33, 31}, {2, 1031, 5},  {64, 576, 10},
                                    {1, 1031, 1}, {31, 1153, 3}, {257, 1, 513}, {64, 1152, 64}};
  for_each_kind([&](DType dtype, bool transpose_a, bool transpose_b) {
    for (const auto& [rows, depth, columns] : all) {
      check(make_op<MatMulOp>(transpose_a, transpose_b), {random_of(stored({rows, depth}, transpose_a), dtype, 1),
                                                          random_of(stored({depth, columns}, transpose_b), dtype, 2)});
    }
  });
}

/// Leading axes of two operands.
const std::vector<std::pair<Shape, Shape>> broadcasting_axes = {
    {{4}, {4}},       {{2, 3}, {2, 3}}, {{4}, {}},           {{2, 3}, {}},           {{}, {4}},
    {{}, {2, 3}},     {{1}, {5}},       {{5}, {1}},          {{2, 1}, {1, 3}},       {{1, 3}, {2, 1}},
    {{3}, {2, 3}},    {{2, 3}, {3}},    {{2, 1, 3}, {4, 1}}, {{1, 4, 1}, {2, 1, 3}}, {{2, 1, 3, 1}, {1, 4, 1, 2}},
    {{1, 1}, {1, 1}},
};

TEST_F(GpuMatMul, BroadcastsLeadingAxes) {
  for_each_kind([&](DType dtype, bool transpose_a, bool transpose_b) {
    for (const auto& [a, b] : broadcasting_axes) {
      check(make_op<MatMulOp>(transpose_a, transpose_b),
            {random_of(stored(a.concatenate({3, 5}), transpose_a), dtype, 1),
             random_of(stored(b.concatenate({5, 7}), transpose_b), dtype, 2)});
    }
  });
}

TEST_F(GpuMatMul, BroadcastsLeadingAxesOfDeepProducts) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const auto& [a, b] : broadcasting_axes) {
        check(make_op<MatMulOp>(transpose_a, transpose_b),
              {random_of(stored(a.concatenate({3, 1025}), transpose_a), float32, 1),
               random_of(stored(b.concatenate({1025, 7}), transpose_b), float32, 2)});
      }
    }
  }
}

TEST_F(GpuMatMul, TakesMoreProductsThanTheLibraryTakesAtOnce) {
  check(make_op<MatMulOp>(), {random_of({70001, 1, 3}, float32, 1), random_of({70001, 3, 2}, float32, 2)});
}

TEST_F(GpuMatMul, AProductWithoutResultsIsEmpty) {
  for_each_kind([](DType dtype, bool transpose_a, bool transpose_b) {
    for (const Shape& batch : {Shape{}, Shape{2}, Shape{0}}) {
      for (const auto& [rows, depth, columns] : {Lengths{0, 3, 5}, Lengths{3, 5, 0}, Lengths{0, 0, 0}}) {
        check(make_op<MatMulOp>(transpose_a, transpose_b),
              {random_of(stored(batch.concatenate({rows, depth}), transpose_a), dtype, 1),
               random_of(stored(batch.concatenate({depth, columns}), transpose_b), dtype, 2)});
      }
    }
  });
}

TEST_F(GpuMatMul, SumsOfNothingAreZero) {
  for_each_kind([](DType dtype, bool transpose_a, bool transpose_b) {
    for (const Shape& batch : {Shape{}, Shape{2, 3}}) {
      const Tensor product = on_gpu(MatMulOp(transpose_a, transpose_b),
                                    {Tensor::zeros(stored(batch.concatenate({3, 0}), transpose_a), dtype),
                                     Tensor::zeros(stored(batch.concatenate({0, 5}), transpose_b), dtype)});
      EXPECT_TRUE(test::same_bits(product, Tensor::zeros(batch.concatenate({3, 5}), dtype)));
    }
  });
}

TEST_F(GpuMatMul, NaNReachesTheResultsThatItBelongsTo) {
  for (const DType dtype : all_dtypes()) {
    std::vector<double> a(std::size_t{3 * 4}, 1.0);
    a[1 * 4 + 2] = nan;
    check(make_op<MatMulOp>(), {Tensor::from_data({3, 4}, a).cast(dtype), random_of({4, 5}, dtype, 2)});
  }
}

TEST_F(GpuMatMul, HalfTypesAreAddedUpInFloat32) {
  // In float16 the sum would stay at 2048, in bfloat16 at 256.
  for (const DType dtype : {float16, bfloat16}) {
    const Tensor product = on_gpu(MatMulOp(), {Tensor::full({2, 8192}, 1, dtype), Tensor::full({8192, 3}, 1, dtype)});
    EXPECT_EQ(product.to_vector(), std::vector<double>(6, 8192)) << name_of(dtype);
  }
}

TEST_F(GpuMatMul, TensorFloat32RoundsFactorsToTenBits) {
  const std::vector<Tensor> inputs = {random_of({264, 64}, float32, 1), random_of({64, 512}, float32, 2)};
  const Tensor expected = expected_of(make_op<MatMulOp>(), inputs);
  const Tensor precise = on_gpu(MatMulOp(), inputs);
  const TensorFloat32 fast(true);
  const Tensor rounded = on_gpu(MatMulOp(), inputs);
  expect_close(precise, expected, 1e-6);
  // A GPU may truncate instead of rounding: then a factor is off by up to 2^-10, and a product of two by up to 2^-9.
  expect_close(rounded, expected, 2e-3);
#ifdef RHYTON_CUDA_EMULATION
  EXPECT_FALSE(test::same_bits(rounded, precise));
  EXPECT_GT(test::relative_distance(rounded.cast(float64), expected), 1e-5);
#endif
  // The other dtypes are not affected.
  check(make_op<MatMulOp>(), {random_of({264, 64}, float64, 1), random_of({64, 512}, float64, 2)});
  check(make_op<MatMulOp>(), {random_of({264, 64}, float16, 1), random_of({64, 512}, float16, 2)});
}

TEST_F(GpuFusedMatMul, AddsABiasAndRectifies) {
  const std::vector<Lengths> all = {{1, 1, 1},    {64, 576, 10},  {33, 31, 257},  {3, 257, 64}, {257, 3, 33},
                                    {5, 4, 2048}, {64, 1152, 10}, {33, 1031, 57}, {257, 3, 520}};
  for (const DType dtype : all_dtypes()) {
    for (const bool transpose_b : {false, true}) {
      for (const Epilogue activation : {Epilogue::none, Epilogue::relu}) {
        for (const auto& [rows, depth, columns] : all) {
          const Tensor a = random_of({rows, depth}, dtype, 1);
          const Tensor b = random_of(stored({depth, columns}, transpose_b), dtype, 2);
          check(make_op<FusedMatMulOp>(activation, transpose_b), {a, b});
          check(make_op<FusedMatMulOp>(activation, transpose_b), {a, b, random_of({columns}, dtype, 3)});
        }
      }
    }
  }
}

TEST_F(GpuFusedMatMul, TakesATensorOfAnyRankAsOneTallMatrix) {
  for (const DType dtype : all_dtypes()) {
    for (const Epilogue activation : {Epilogue::none, Epilogue::relu}) {
      check(make_op<FusedMatMulOp>(activation),
            {random_of({2, 3, 5, 7}, dtype, 1), random_of({7, 12}, dtype, 2), random_of({12}, dtype, 3)});
      check(make_op<FusedMatMulOp>(activation),
            {random_of({2, 3, 5, 1027}, dtype, 1), random_of({1027, 12}, dtype, 2), random_of({12}, dtype, 3)});
    }
  }
}

TEST_F(GpuFusedMatMul, RectifiesMoreElementsThanAGridHasThreads) {
  check(make_op<FusedMatMulOp>(Epilogue::relu),
        {random_of({9, 1}, float32, 1), random_of({1, 70001}, float32, 2), random_of({70001}, float32, 3)});
}

TEST_F(GpuFusedMatMul, NaNStaysNaN) {
  for (const DType dtype : all_dtypes()) {
    for (const std::int64_t depth : {4, 1028}) {
      for (const std::int64_t columns : {5, 8}) {
        for (const Epilogue activation : {Epilogue::none, Epilogue::relu}) {
          std::vector<double> a(static_cast<std::size_t>(3 * depth), 1.0);
          a[static_cast<std::size_t>(depth + 2)] = nan;
          std::vector<double> bias(static_cast<std::size_t>(columns), -0.5);
          bias[3] = nan;
          const Tensor matrix = Tensor::from_data({3, depth}, a).cast(dtype);
          const Tensor kernel = random_of({depth, columns}, dtype, 2);
          check(make_op<FusedMatMulOp>(activation), {matrix, kernel});
          check(make_op<FusedMatMulOp>(activation), {matrix, kernel, Tensor::from_data({columns}, bias).cast(dtype)});
        }
      }
    }
  }
}

TEST_F(GpuFusedMatMul, OfASumOfNothingTheBiasIsLeft) {
  for (const DType dtype : all_dtypes()) {
    for (const Epilogue activation : {Epilogue::none, Epilogue::relu}) {
      check(make_op<FusedMatMulOp>(activation),
            {Tensor::zeros({3, 0}, dtype), Tensor::zeros({0, 5}, dtype), random_of({5}, dtype, 3)});
      check(make_op<FusedMatMulOp>(activation), {Tensor::zeros({3, 0}, dtype), Tensor::zeros({0, 5}, dtype)});
      check(make_op<FusedMatMulOp>(activation),
            {Tensor::zeros({0, 4}, dtype), Tensor::zeros({4, 5}, dtype), random_of({5}, dtype, 3)});
    }
  }
}

/// FusedMatMul with a bias that begins `offset` elements after an address aligned for packs.
Tensor with_bias_at(std::int64_t offset, const Tensor& a, const Tensor& b, const Tensor& bias) {
  const FusedMatMulOp op(Epilogue::none);
  GpuStream& stream = test_stream();
  const std::vector<TensorSpec> inputs = {a.spec(), b.spec(), bias.spec()};
  const std::vector<TensorSpec> outputs = op.infer(inputs);
  const std::size_t bytes_before = static_cast<std::size_t>(offset) * size_of(bias.dtype());
  const DeviceBlock a_block(a.spec().bytes());
  const DeviceBlock b_block(b.spec().bytes());
  const DeviceBlock bias_block(bytes_before + bias.spec().bytes());
  const DeviceBlock c_block(outputs[0].bytes());
  const Kernel& kernel = gpu_kernels().get(op, inputs);
  const DeviceBlock workspace(kernel.workspace_bytes(op, inputs, outputs));

  const std::vector<TensorView> input_views = {
      {a_block.data(), a.spec()},
      {b_block.data(), b.spec()},
      {static_cast<std::byte*>(bias_block.data()) + bytes_before, bias.spec()}};
  const std::vector<TensorView> output_views = {{c_block.data(), outputs[0]}};
  stream.copy_from_host(input_views[0].data, a.raw_data(), a.spec().bytes());
  stream.copy_from_host(input_views[1].data, b.raw_data(), b.spec().bytes());
  stream.copy_from_host(input_views[2].data, bias.raw_data(), bias.spec().bytes());
  kernel.run(
      {.op = &op, .stream = &stream, .inputs = input_views, .outputs = output_views, .workspace = workspace.data()});
  Tensor c = Tensor::uninitialized(outputs[0].shape, outputs[0].dtype);
  stream.copy_to_host(c.mutable_raw_data(), c_block.data(), outputs[0].bytes());
  return c;
}

TEST_F(GpuFusedMatMul, TakesABiasAtAnOddAddress) {
  for (const DType dtype : all_dtypes()) {
    for (const std::int64_t depth : {18, 1028}) {
      for (const std::int64_t columns : {17, 24}) {
        SCOPED_TRACE(std::string(name_of(dtype)) + " " + std::to_string(depth) + " " + std::to_string(columns));
        const std::vector<Tensor> inputs = {random_of({9, depth}, dtype, 1), random_of({depth, columns}, dtype, 2),
                                            random_of({columns}, dtype, 3)};
        const Tensor expected = expected_of(make_op<FusedMatMulOp>(Epilogue::none), inputs);
        expect_close(with_bias_at(1, inputs[0], inputs[1], inputs[2]), expected, tolerance(dtype));
      }
    }
  }
}

#ifdef RHYTON_CUDA_EMULATION
TEST_F(GpuFusedMatMul, AddsABiasItselfUnlessItIsAlignedTo16Bytes) {
  const Tensor a = random_of({9, 1030}, float32, 1);
  const Tensor b = random_of({1030, 16}, float32, 2);
  const Tensor bias = random_of({16}, float32, 3);
  const auto products_with_bias = [&](std::int64_t offset) {
    const std::int64_t before = cuda_emulation::cublas_lt_counters().products_with_bias;
    with_bias_at(offset, a, b, bias);
    return cuda_emulation::cublas_lt_counters().products_with_bias - before;
  };
  EXPECT_EQ(products_with_bias(0), 1);
  EXPECT_EQ(products_with_bias(1), 0);
  EXPECT_EQ(products_with_bias(2), 0);
  EXPECT_EQ(products_with_bias(4), 1);
}

TEST_F(GpuFusedMatMul, LetsTheLibraryAddTheBiasWhereItCan) {
  const auto before = cuda_emulation::cublas_lt_counters();
  check(make_op<FusedMatMulOp>(Epilogue::none),
        {random_of({9, 1030}, float32, 1), random_of({1030, 11}, float32, 2), random_of({11}, float32, 3)});
  const auto after = cuda_emulation::cublas_lt_counters();
  EXPECT_EQ(after.products_with_bias - before.products_with_bias, 2);
  EXPECT_EQ(after.products - before.products, 2);
}

#endif

using GpuMatMulKernelGradient = GpuMatMul;

TEST_F(GpuMatMulKernelGradient, SumsOverAllAxesButTheLast) {
  const std::vector<std::pair<Shape, Lengths>> all = {
      {{1}, {1, 0, 1}},        {{64}, {576, 0, 10}}, {{257}, {31, 0, 33}},   {{2, 31}, {33, 0, 3}},
      {{3, 1, 5}, {7, 0, 64}}, {{1031}, {3, 0, 1}},  {{5, 257}, {31, 0, 33}}};
  for (const DType dtype : all_dtypes()) {
    for (const auto& [leading, lengths] : all) {
      check(make_op<MatMulKernelGradientOp>(), {random_of(leading.concatenate({lengths.rows}), dtype, 1),
                                                random_of(leading.concatenate({lengths.columns}), dtype, 2)});
    }
  }
}

TEST_F(GpuMatMulKernelGradient, OfNoSamplesIsZeroAndOfNoUnitsIsEmpty) {
  for (const DType dtype : all_dtypes()) {
    check(make_op<MatMulKernelGradientOp>(), {Tensor::zeros({0, 3}, dtype), Tensor::zeros({0, 5}, dtype)});
    check(make_op<MatMulKernelGradientOp>(), {Tensor::zeros({2, 0, 3}, dtype), Tensor::zeros({2, 0, 5}, dtype)});
    check(make_op<MatMulKernelGradientOp>(), {Tensor::zeros({4, 0}, dtype), Tensor::zeros({4, 5}, dtype)});
  }
}

}  // namespace
}  // namespace rhyton::gpu::matmul_tests
