#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <cstring>

/// The contents of the opaque structures of the emulated cuBLASLt.
namespace rhyton::cuda_emulation::cublas_lt {

/// Distinguishes initialized descriptors from uninitialized ones.
inline constexpr std::uint64_t initialized = 0x52485954'4f4e4c54;

struct Layout {
  std::uint64_t mark = initialized;
  std::int64_t type = CUDA_R_32F;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::int64_t leading_dimension = 0;
  std::int32_t order = CUBLASLT_ORDER_COL;
  std::int32_t batch_count = 1;
  std::int64_t batch_stride = 0;
};

struct Operation {
  std::uint64_t mark = initialized;
  std::int32_t compute_type = CUBLAS_COMPUTE_32F;
  std::int32_t scale_type = CUDA_R_32F;
  std::int32_t transpose_a = CUBLAS_OP_N;
  std::int32_t transpose_b = CUBLAS_OP_N;
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
  std::int64_t bias_stride = 0;
};

struct Preference {
  std::uint64_t mark = initialized;
  std::uint64_t max_workspace = 0;
  std::uint32_t reduction_schemes = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::uint32_t alignment_a = 256;
  std::uint32_t alignment_b = 256;
  std::uint32_t alignment_c = 256;
  std::uint32_t alignment_d = 256;
};

struct Algorithm {
  /// The problem that it was recommended for.
  std::uint64_t problem = 0;
  std::uint64_t workspace = 0;
  /// The number of partial sums that are computed separately, in the workspace.
  std::int32_t splits = 1;
  std::uint32_t alignment_a = 1;
  std::uint32_t alignment_b = 1;
  std::uint32_t alignment_c = 1;
  std::uint32_t alignment_d = 1;
  std::uint32_t alignment_bias = 1;
  /// The number of algorithms recommended before it.
  std::int32_t rank = 0;
};

template <class State, class Opaque>
State state_of(const Opaque* opaque) {
  static_assert(sizeof(State) <= sizeof(Opaque));
  State state;
  std::memcpy(static_cast<void*>(&state), opaque, sizeof(state));
  return state;
}

template <class State, class Opaque>
void set_state(Opaque* opaque, const State& state) {
  static_assert(sizeof(State) <= sizeof(Opaque));
  std::memcpy(opaque, &state, sizeof(state));
}

}  // namespace rhyton::cuda_emulation::cublas_lt
