#include <rhyton/framework/ops/matmul.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>
#ifdef RHYTON_CUDA_EMULATION
#include <rhyton/tests/cuda_emulation/cublas_lt_emulation.h>
#include <rhyton/tests/framework/backends/gpu/on_gpu.h>
#endif

namespace rhyton::gpu::matmul_tests {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// During its lifetime, products of float32 are (or are not) computed with TensorFloat-32.
class TensorFloat32 {
 public:
  explicit TensorFloat32(bool is_enabled) : was_enabled_(context().tensor_float_32_execution_enabled()) {
    context().enable_tensor_float_32_execution(is_enabled);
  }
  ~TensorFloat32() { context().enable_tensor_float_32_execution(was_enabled_); }
  TensorFloat32(const TensorFloat32&) = delete;
  TensorFloat32& operator=(const TensorFloat32&) = delete;

 private:
  bool was_enabled_;
};

class GpuMatMul : public ::testing::Test {
 private:
  TensorFloat32 full_precision_{false};
};

std::vector<DType> all_dtypes() { return {float32, float64, float16, bfloat16}; }

/// Relative to the largest element.
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

Tensor random_of(const Shape& shape, DType dtype, std::uint64_t seed) {
  return test::random_tensor(shape, seed, -1, 1, float64).cast(dtype);
}

/// The CPU's result in float64.
Tensor expected_of(const OpPtr& op, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> exact;
  for (const Tensor& input : inputs) exact.push_back(input.cast(float64));
  return rhyton::apply(op, exact)[0];
}

void expect_close(const Tensor& actual, const Tensor& expected, double error) {
  ASSERT_EQ(actual.shape(), expected.shape());
  const std::vector<double> values = actual.to_vector();
  const std::vector<double> exact = expected.to_vector();
  double largest = 0;
  for (const double value : exact) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(exact[i])) {
      ASSERT_TRUE(std::isnan(values[i])) << values[i] << " at element " << i;
    } else {
      ASSERT_NEAR(values[i], exact[i], error * largest) << "at element " << i;
    }
  }
}

/// Compares an op's kernel on the GPU with the CPU's, and with a second run.
void check(const OpPtr& op, const std::vector<Tensor>& inputs) {
  std::string trace = std::string(op->name()) + "(" + op->attributes() + ") " + std::string(name_of(inputs[0].dtype()));
  for (const Tensor& input : inputs) trace += " " + input.shape().to_string();
  SCOPED_TRACE(trace);
  const Tensor actual = on_gpu(*op, inputs);
  EXPECT_EQ(actual.dtype(), inputs[0].dtype());
  expect_close(actual, expected_of(op, inputs), tolerance(inputs[0].dtype()));
  EXPECT_TRUE(test::same_bits(on_gpu(*op, inputs), actual));
}

template <class O, class... Attributes>
OpPtr make_op(Attributes... attributes) {
  return std::make_shared<const O>(attributes...);
}

/// [..., rows, columns], or transposed.
Shape stored(Shape shape, bool is_transposed) {
  if (is_transposed) std::swap(shape[shape.rank() - 1], shape[shape.rank() - 2]);
  return shape;
}

struct Lengths {
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t columns;
};

/// Calls function(dtype, transpose_a, transpose_b).
template <class Function>
void for_each_kind(Function&& function) {
  for (const DType dtype : all_dtypes()) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) function(dtype, transpose_a, transpose_b);
    }
  }
}

TEST_F(GpuMatMul, MultipliesMatricesOfAllShapes) {
  const std::vector<Lengths> all = {{1, 1, 1},    {1, 257, 1},   {257, 1, 257}, {1, 33, 257},
                                    {257, 31, 1}, {3, 31, 33},   {33, 3, 31},   {31, 257, 3},
                                    {64, 64, 64}, {257, 33, 31}, {2, 1031, 5},  {64, 576, 10}};
  for_each_kind([&](DType dtype, bool transpose_a, bool transpose_b) {
    for (const auto& [rows, depth, columns] : all) {
      check(make_op<MatMulOp>(transpose_a, transpose_b), {random_of(stored({rows, depth}, transpose_a), dtype, 1),
                                                          random_of(stored({depth, columns}, transpose_b), dtype, 2)});
    }
  });
}

TEST_F(GpuMatMul, BroadcastsLeadingAxes) {
  const std::vector<std::pair<Shape, Shape>> all = {
      {{4}, {4}},       {{2, 3}, {2, 3}}, {{4}, {}},           {{2, 3}, {}},           {{}, {4}},
      {{}, {2, 3}},     {{1}, {5}},       {{5}, {1}},          {{2, 1}, {1, 3}},       {{1, 3}, {2, 1}},
      {{3}, {2, 3}},    {{2, 3}, {3}},    {{2, 1, 3}, {4, 1}}, {{1, 4, 1}, {2, 1, 3}}, {{2, 1, 3, 1}, {1, 4, 1, 2}},
      {{1, 1}, {1, 1}},
  };
  for_each_kind([&](DType dtype, bool transpose_a, bool transpose_b) {
    for (const auto& [a, b] : all) {
      check(make_op<MatMulOp>(transpose_a, transpose_b),
            {random_of(stored(a.concatenate({3, 5}), transpose_a), dtype, 1),
             random_of(stored(b.concatenate({5, 7}), transpose_b), dtype, 2)});
    }
  });
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
  const std::vector<Tensor> inputs = {random_of({64, 64}, float32, 1), random_of({64, 64}, float32, 2)};
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
  check(make_op<MatMulOp>(), {random_of({64, 64}, float64, 1), random_of({64, 64}, float64, 2)});
  check(make_op<MatMulOp>(), {random_of({64, 64}, float16, 1), random_of({64, 64}, float16, 2)});
}

using GpuFusedMatMul = GpuMatMul;

TEST_F(GpuFusedMatMul, AddsABiasAndRectifies) {
  const std::vector<Lengths> all = {{1, 1, 1}, {64, 576, 10}, {33, 31, 257}, {3, 257, 64}, {257, 3, 33}, {5, 4, 2048}};
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
    }
  }
}

TEST_F(GpuFusedMatMul, RectifiesMoreElementsThanAGridHasThreads) {
  check(make_op<FusedMatMulOp>(Epilogue::relu),
        {random_of({9, 1}, float32, 1), random_of({1, 70001}, float32, 2), random_of({70001}, float32, 3)});
}

TEST_F(GpuFusedMatMul, NaNStaysNaN) {
  for (const DType dtype : all_dtypes()) {
    for (const std::int64_t columns : {5, 8}) {
      for (const Epilogue activation : {Epilogue::none, Epilogue::relu}) {
        std::vector<double> a(std::size_t{3 * 4}, 1.0);
        a[1 * 4 + 2] = nan;
        std::vector<double> bias(static_cast<std::size_t>(columns), -0.5);
        bias[3] = nan;
        const Tensor matrix = Tensor::from_data({3, 4}, a).cast(dtype);
        const Tensor kernel = random_of({4, columns}, dtype, 2);
        check(make_op<FusedMatMulOp>(activation), {matrix, kernel});
        check(make_op<FusedMatMulOp>(activation), {matrix, kernel, Tensor::from_data({columns}, bias).cast(dtype)});
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
    for (const std::int64_t columns : {17, 24}) {
      SCOPED_TRACE(std::string(name_of(dtype)) + " " + std::to_string(columns));
      const std::vector<Tensor> inputs = {random_of({9, 18}, dtype, 1), random_of({18, columns}, dtype, 2),
                                          random_of({columns}, dtype, 3)};
      const Tensor expected = expected_of(make_op<FusedMatMulOp>(Epilogue::none), inputs);
      expect_close(with_bias_at(1, inputs[0], inputs[1], inputs[2]), expected, tolerance(dtype));
    }
  }
}

#ifdef RHYTON_CUDA_EMULATION
TEST_F(GpuFusedMatMul, AddsABiasItselfUnlessItIsAlignedTo16Bytes) {
  const Tensor a = random_of({9, 10}, float32, 1);
  const Tensor b = random_of({10, 16}, float32, 2);
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
        {random_of({9, 10}, float32, 1), random_of({10, 11}, float32, 2), random_of({11}, float32, 3)});
  const auto after = cuda_emulation::cublas_lt_counters();
  EXPECT_EQ(after.products_with_bias - before.products_with_bias, 2);
  EXPECT_EQ(after.products - before.products, 2);
}

constexpr cublasStatus_t all_refusals[] = {CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_INVALID_VALUE};

TEST_F(GpuFusedMatMul, AddsTheBiasItselfWhereTheLibraryCannot) {
  // Lengths that no other test uses: algorithms are searched only once.
  std::int64_t rows = 12;
  for (const cublasStatus_t status : all_refusals) {
    const cuda_emulation::WithoutBiasEpilogue without_bias(status);
    const auto before = cuda_emulation::cublas_lt_counters();
    int products = 0;
    for (const DType dtype : all_dtypes()) {
      for (const std::int64_t columns : {13, 16}) {
        check(make_op<FusedMatMulOp>(Epilogue::none),
              {random_of({rows, 14}, dtype, 1), random_of({14, columns}, dtype, 2), random_of({columns}, dtype, 3)});
        products += 2;
      }
    }
    const auto after = cuda_emulation::cublas_lt_counters();
    EXPECT_EQ(after.products_with_bias, before.products_with_bias);
    EXPECT_EQ(after.products - before.products, products);
    ++rows;
  }
}

/// The calls of cuBLASLt during `body`.
template <class Body>
cuda_emulation::CublasLtCounters counted(const Body& body) {
  const auto before = cuda_emulation::cublas_lt_counters();
  body();
  const auto after = cuda_emulation::cublas_lt_counters();
  return {.heuristics = after.heuristics - before.heuristics,
          .products = after.products - before.products,
          .products_with_bias = after.products_with_bias - before.products_with_bias,
          .refusals = after.refusals - before.refusals};
}

TEST_F(GpuMatMul, TriesTheNextAlgorithmWhenOneIsRefusedAndRemembersIt) {
  std::int64_t rows = 40;
  for (const cublasStatus_t status : all_refusals) {
    for (int refused = 1; refused < cuda_emulation::recommended_algorithms; ++refused) {
      const cuda_emulation::RefusedAlgorithms refusals(refused, status);
      // `check` calls the kernel twice.
      const auto calls = counted([&] {
        check(make_op<MatMulOp>(), {random_of({rows, 41}, float32, 1), random_of({41, 42}, float32, 2)});
      });
      EXPECT_EQ(calls.heuristics, 1);
      EXPECT_EQ(calls.products, 2);
      EXPECT_EQ(calls.refusals, refused);
      ++rows;
    }
  }
}

/// Products of all dtypes, transposed or not, single and in batches, whose lengths fill no square of a kernel. `length`
/// makes them new to the cache of algorithms.
void check_products(std::int64_t length) {
  for (const DType dtype : all_dtypes()) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        const Shape a = transpose_a ? Shape{35, length} : Shape{length, 35};
        const Shape b = transpose_b ? Shape{18, 35} : Shape{35, 18};
        check(make_op<MatMulOp>(transpose_a, transpose_b), {random_of(a, dtype, 1), random_of(b, dtype, 2)});
        check(make_op<MatMulOp>(transpose_a, transpose_b),
              {random_of(Shape{3}.concatenate(a), dtype, 3), random_of(Shape{3}.concatenate(b), dtype, 4)});
      }
    }
    check(make_op<FusedMatMulOp>(Epilogue::relu),
          {random_of({length, 7}, dtype, 5), random_of({7, 9}, dtype, 6), random_of({9}, dtype, 7)});
    check(make_op<FusedMatMulOp>(Epilogue::none),
          {random_of({length, 7}, dtype, 5), random_of({7, 9}, dtype, 6), random_of({9}, dtype, 7)});
  }
}

/// The warnings during a call.
template <class Body>
std::vector<std::string> warnings_of(const Body& body) {
  std::vector<std::string> warnings;
  const config::WarningHandler previous =
      config::set_warning_handler([&](const std::string& message) { warnings.push_back(message); });
  body();
  config::set_warning_handler(previous);
  return warnings;
}

TEST_F(GpuMatMul, ComputesItselfWhenAllAlgorithmsAreRefused) {
  std::int64_t length = 50;
  for (const cublasStatus_t status : all_refusals) {
    const cuda_emulation::RefusedAlgorithms refusals(cuda_emulation::recommended_algorithms, status);
    const auto calls = counted([&] { warnings_of([&] { check_products(length); }); });
    EXPECT_EQ(calls.products, 0);
    ++length;
  }
}

TEST_F(GpuMatMul, AsksAgainWithoutRestrictionsWhereTheLibraryRecommendsNothing) {
  const cuda_emulation::RefusedHeuristics refusals(cuda_emulation::RefusedQueries::restricted);
  for (const DType dtype : {float32, float16}) {
    const auto calls = counted([&] {
      check(make_op<MatMulOp>(), {random_of({57, 300}, dtype, 1), random_of({300, 42}, dtype, 2)});
    });
    EXPECT_EQ(calls.heuristics, 2);
    EXPECT_EQ(calls.products, 2);
  }
}

TEST_F(GpuMatMul, ComputesItselfAndWarnsOnceWhereTheLibraryHasNoAlgorithmAtAll) {
  std::int64_t length = 80;
  for (const cublasStatus_t status :
       {CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_INVALID_VALUE, CUBLAS_STATUS_INTERNAL_ERROR}) {
    const cuda_emulation::RefusedHeuristics refusals(cuda_emulation::RefusedQueries::all, status);
    const auto calls = counted([&] { warnings_of([&] { check_products(length); }); });
    EXPECT_EQ(calls.products, 0);
    EXPECT_TRUE(warnings_of([&] { check_products(length); }).empty());
    ++length;
  }
  const cuda_emulation::RefusedHeuristics refusals(cuda_emulation::RefusedQueries::all);
  const std::vector<Tensor> inputs = {random_of({length, 3}, float32, 1), random_of({3, 5}, float32, 2)};
  EXPECT_THAT(warnings_of([&] { on_gpu(MatMulOp(), inputs); }),
              ::testing::ElementsAre("cuBLASLt has no algorithm for 1 products of float32, " + std::to_string(length) +
                                     "x3 by 3x5. A kernel that is many times slower computes them."));
}

TEST_F(GpuMatMul, ThrowsWhatIsNoRefusal) {
  const cuda_emulation::RefusedHeuristics refusals(cuda_emulation::RefusedQueries::all, CUBLAS_STATUS_NOT_INITIALIZED);
  const std::vector<Tensor> inputs = {random_of({53, 51}, float32, 1), random_of({51, 52}, float32, 2)};
  EXPECT_THAT([&] { on_gpu(MatMulOp(), inputs); },
              ThrowsMessage<RuntimeError>(
                  HasSubstr("cublasLtMatmulAlgoGetHeuristic failed with CUBLAS_STATUS_NOT_INITIALIZED")));
}

TEST_F(GpuFusedMatMul, TriesTheNextAlgorithmForTheBiasWhenOneIsRefused) {
  std::int64_t rows = 60;
  for (const cublasStatus_t status : all_refusals) {
    const cuda_emulation::RefusedAlgorithms refusals(1, status, cuda_emulation::RefusedProducts::with_bias);
    const auto calls = counted([&] {
      check(make_op<FusedMatMulOp>(Epilogue::none),
            {random_of({rows, 61}, float32, 1), random_of({61, 62}, float32, 2), random_of({62}, float32, 3)});
    });
    EXPECT_EQ(calls.products_with_bias, 2);
    EXPECT_EQ(calls.products, 2);
    EXPECT_EQ(calls.refusals, 1);
    ++rows;
  }
}

TEST_F(GpuFusedMatMul, AddsTheBiasItselfWhenAllAlgorithmsForItAreRefusedAndRemembersThat) {
  std::int64_t rows = 70;
  for (const cublasStatus_t status : all_refusals) {
    const cuda_emulation::RefusedAlgorithms refusals(cuda_emulation::recommended_algorithms, status,
                                                     cuda_emulation::RefusedProducts::with_bias);
    const auto calls = counted([&] {
      check(make_op<FusedMatMulOp>(Epilogue::none),
            {random_of({rows, 71}, float32, 1), random_of({71, 72}, float32, 2), random_of({72}, float32, 3)});
    });
    EXPECT_EQ(calls.products_with_bias, 0);
    EXPECT_EQ(calls.products, 2);
    EXPECT_EQ(calls.refusals, cuda_emulation::recommended_algorithms);
    ++rows;
  }
}

TEST_F(GpuMatMul, AsksForAnAlgorithmOncePerKindOfProduct) {
  const std::vector<Tensor> inputs = {random_of({19, 20}, float32, 1), random_of({20, 21}, float32, 2)};
  const auto heuristics = [] { return cuda_emulation::cublas_lt_counters().heuristics; };
  const std::int64_t before = heuristics();
  for (int repetition = 0; repetition < 3; ++repetition) on_gpu(MatMulOp(), inputs);
  EXPECT_EQ(heuristics() - before, 1);
  const TensorFloat32 fast(true);
  on_gpu(MatMulOp(), inputs);
  EXPECT_EQ(heuristics() - before, 2);
}
#endif

using GpuMatMulKernelGradient = GpuMatMul;

TEST_F(GpuMatMulKernelGradient, SumsOverAllAxesButTheLast) {
  const std::vector<std::pair<Shape, Lengths>> all = {{{1}, {1, 0, 1}},        {{64}, {576, 0, 10}},
                                                      {{257}, {31, 0, 33}},    {{2, 31}, {33, 0, 3}},
                                                      {{3, 1, 5}, {7, 0, 64}}, {{1031}, {3, 0, 1}}};
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
