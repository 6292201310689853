#pragma once

#include <cstdint>

/// What tests say to the emulation of cuBLASLt and ask it.
namespace rhyton::cuda_emulation {

/// While one lives, no algorithm adds a bias: CUBLASLT_EPILOGUE_BIAS and CUBLASLT_EPILOGUE_RELU_BIAS are unsupported.
class WithoutBiasEpilogue {
 public:
  WithoutBiasEpilogue();
  ~WithoutBiasEpilogue();
  WithoutBiasEpilogue(const WithoutBiasEpilogue&) = delete;
  WithoutBiasEpilogue& operator=(const WithoutBiasEpilogue&) = delete;
};

/// What has happened since the start of the program.
struct CublasLtCounters {
  /// Calls of cublasLtMatmulAlgoGetHeuristic.
  std::int64_t heuristics = 0;
  /// Calls of cublasLtMatmul that succeeded, and those of them that add a bias.
  std::int64_t products = 0;
  std::int64_t products_with_bias = 0;
};
CublasLtCounters cublas_lt_counters();

}  // namespace rhyton::cuda_emulation
