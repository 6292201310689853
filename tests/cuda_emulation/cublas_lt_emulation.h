#pragma once

#include <cublasLt.h>

#include <cstdint>

/// Functions with which tests control and query the emulation of cuBLASLt.
namespace rhyton::cuda_emulation {

/// During its lifetime, no algorithm adds a bias: calls with CUBLASLT_EPILOGUE_BIAS or CUBLASLT_EPILOGUE_RELU_BIAS
/// return `status`.
class WithoutBiasEpilogue {
 public:
  explicit WithoutBiasEpilogue(cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED);
  ~WithoutBiasEpilogue();
  WithoutBiasEpilogue(const WithoutBiasEpilogue&) = delete;
  WithoutBiasEpilogue& operator=(const WithoutBiasEpilogue&) = delete;
};

/// The number of algorithms that cublasLtMatmulAlgoGetHeuristic recommends, if at least as many are requested.
inline constexpr int recommended_algorithms = 3;

enum class RefusedProducts { all, with_bias };

/// During its lifetime, cublasLtMatmul fails with `status` for the first `count` of the algorithms that were
/// recommended for a product.
class RefusedAlgorithms {
 public:
  RefusedAlgorithms(int count, cublasStatus_t status, RefusedProducts products = RefusedProducts::all);
  ~RefusedAlgorithms();
  RefusedAlgorithms(const RefusedAlgorithms&) = delete;
  RefusedAlgorithms& operator=(const RefusedAlgorithms&) = delete;
};

/// During its lifetime, cublasLtMatmulAlgoGetHeuristic returns `status` and no algorithm: for all products, or only for
/// those whose workspace or reduction schemes are restricted.
enum class RefusedQueries { all, restricted };
class RefusedHeuristics {
 public:
  explicit RefusedHeuristics(RefusedQueries which, cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED);
  ~RefusedHeuristics();
  RefusedHeuristics(const RefusedHeuristics&) = delete;
  RefusedHeuristics& operator=(const RefusedHeuristics&) = delete;
};

/// Counters since the start of the program.
struct CublasLtCounters {
  /// Calls of cublasLtMatmulAlgoGetHeuristic.
  std::int64_t heuristics = 0;
  /// Calls of cublasLtMatmul that succeeded, and those of them that add a bias.
  std::int64_t products = 0;
  std::int64_t products_with_bias = 0;
  /// Calls of cublasLtMatmul that rejected the given algorithm.
  std::int64_t refusals = 0;
};
CublasLtCounters cublas_lt_counters();

}  // namespace rhyton::cuda_emulation
