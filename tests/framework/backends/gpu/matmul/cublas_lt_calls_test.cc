// Which calls of cuBLASLt products make, and what they do where it refuses one. All are too deep for the kernel for
// small products.

#ifdef RHYTON_CUDA_EMULATION

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>
#include <rhyton/tests/cuda_emulation/cublas_lt_emulation.h>
#include <rhyton/tests/framework/backends/gpu/matmul/product_checks.h>
#include <rhyton/tests/framework/backends/gpu/on_gpu.h>

namespace rhyton::gpu::matmul_tests {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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
        check(
            make_op<FusedMatMulOp>(Epilogue::none),
            {random_of({rows, 1034}, dtype, 1), random_of({1034, columns}, dtype, 2), random_of({columns}, dtype, 3)});
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
        check(make_op<MatMulOp>(), {random_of({rows, 1041}, float32, 1), random_of({1041, 42}, float32, 2)});
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
void check_products(std::int64_t length, std::int64_t columns) {
  for_each_kind([&](DType dtype, bool transpose_a, bool transpose_b) {
    const Shape a = stored({length, 1029}, transpose_a);
    const Shape b = stored({1029, columns}, transpose_b);
    check(make_op<MatMulOp>(transpose_a, transpose_b), {random_of(a, dtype, 1), random_of(b, dtype, 2)});
    check(make_op<MatMulOp>(transpose_a, transpose_b),
          {random_of(Shape{3}.concatenate(a), dtype, 3), random_of(Shape{3}.concatenate(b), dtype, 4)});
  });
  for (const DType dtype : all_dtypes()) {
    for (const Epilogue epilogue : {Epilogue::relu, Epilogue::none}) {
      check(make_op<FusedMatMulOp>(epilogue),
            {random_of({length, 1031}, dtype, 5), random_of({1031, 9}, dtype, 6), random_of({9}, dtype, 7)});
    }
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
  std::int64_t length = 17;
  for (const cublasStatus_t status : all_refusals) {
    const cuda_emulation::RefusedAlgorithms refusals(cuda_emulation::recommended_algorithms, status);
    const auto calls = counted([&] { warnings_of([&] { check_products(length, 18); }); });
    EXPECT_EQ(calls.products, 0);
    ++length;
  }
}

TEST_F(GpuMatMul, AsksAgainWithoutRestrictionsWhereTheLibraryRecommendsNothing) {
  const cuda_emulation::RefusedHeuristics refusals(cuda_emulation::RefusedQueries::restricted);
  for (const DType dtype : {float32, float16}) {
    const auto calls = counted([&] {
      check(make_op<MatMulOp>(), {random_of({57, 1300}, dtype, 1), random_of({1300, 42}, dtype, 2)});
    });
    EXPECT_EQ(calls.heuristics, 2);
    EXPECT_EQ(calls.products, 2);
  }
}

TEST_F(GpuMatMul, ComputesItselfAndWarnsOnceWhereTheLibraryHasNoAlgorithmAtAll) {
  std::int64_t length = 5;
  for (const cublasStatus_t status :
       {CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_INVALID_VALUE, CUBLAS_STATUS_INTERNAL_ERROR}) {
    const cuda_emulation::RefusedHeuristics refusals(cuda_emulation::RefusedQueries::all, status);
    const auto calls = counted([&] { warnings_of([&] { check_products(length, 3); }); });
    EXPECT_EQ(calls.products, 0);
    EXPECT_TRUE(warnings_of([&] { check_products(length, 3); }).empty());
    ++length;
  }
  const cuda_emulation::RefusedHeuristics refusals(cuda_emulation::RefusedQueries::all);
  const std::vector<Tensor> inputs = {random_of({length, 1027}, float32, 1), random_of({1027, 5}, float32, 2)};
  EXPECT_THAT(warnings_of([&] { on_gpu(MatMulOp(), inputs); }),
              ::testing::ElementsAre("cuBLASLt has no algorithm for 1 products of float32, " + std::to_string(length) +
                                     "x1027 by 1027x5. A kernel that is many times slower computes them."));
}

TEST_F(GpuMatMul, ThrowsWhatIsNoRefusal) {
  const cuda_emulation::RefusedHeuristics refusals(cuda_emulation::RefusedQueries::all, CUBLAS_STATUS_NOT_INITIALIZED);
  const std::vector<Tensor> inputs = {random_of({53, 1051}, float32, 1), random_of({1051, 52}, float32, 2)};
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
            {random_of({rows, 1061}, float32, 1), random_of({1061, 62}, float32, 2), random_of({62}, float32, 3)});
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
            {random_of({rows, 1071}, float32, 1), random_of({1071, 72}, float32, 2), random_of({72}, float32, 3)});
    });
    EXPECT_EQ(calls.products_with_bias, 0);
    EXPECT_EQ(calls.products, 2);
    EXPECT_EQ(calls.refusals, cuda_emulation::recommended_algorithms);
    ++rows;
  }
}

TEST_F(GpuMatMul, AsksForAnAlgorithmOncePerKindOfProduct) {
  const std::vector<Tensor> inputs = {random_of({19, 1025}, float32, 1), random_of({1025, 21}, float32, 2)};
  const auto heuristics = [] { return cuda_emulation::cublas_lt_counters().heuristics; };
  const std::int64_t before = heuristics();
  for (int repetition = 0; repetition < 3; ++repetition) on_gpu(MatMulOp(), inputs);
  EXPECT_EQ(heuristics() - before, 1);
  const TensorFloat32 fast(true);
  on_gpu(MatMulOp(), inputs);
  EXPECT_EQ(heuristics() - before, 2);
}

}  // namespace
}  // namespace rhyton::gpu::matmul_tests

#endif
