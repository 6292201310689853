#include <cublasLt.h>

#include <cstring>

#include <cublas_lt_state.h>

namespace {

using rhyton::cuda_emulation::cublas_lt::initialized;
using rhyton::cuda_emulation::cublas_lt::Layout;
using rhyton::cuda_emulation::cublas_lt::Operation;
using rhyton::cuda_emulation::cublas_lt::Preference;
using rhyton::cuda_emulation::cublas_lt::set_state;
using rhyton::cuda_emulation::cublas_lt::state_of;

template <class State, class Opaque>
cublasStatus_t initialize(Opaque* opaque, std::size_t size, const State& state) {
  if (opaque == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (size < sizeof(State)) return CUBLAS_STATUS_ALLOC_FAILED;
  set_state(opaque, state);
  return CUBLAS_STATUS_SUCCESS;
}

/// Copies an attribute's value; false if it has another size.
template <class T>
bool take(T& value, const void* buffer, std::size_t size) {
  if (size != sizeof(T)) return false;
  std::memcpy(static_cast<void*>(&value), buffer, sizeof(T));
  return true;
}

}  // namespace

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t matLayout, std::size_t size, cudaDataType type,
                                                 std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  return initialize(matLayout, size, Layout{.type = type, .rows = rows, .columns = cols, .leading_dimension = ld});
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t matLayout, cublasLtMatrixLayoutAttribute_t attr,
                                                const void* buf, std::size_t sizeInBytes) {
  if (matLayout == nullptr || buf == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  auto layout = state_of<Layout>(matLayout);
  if (layout.mark != initialized) return CUBLAS_STATUS_INVALID_VALUE;
  bool is_taken = false;
  switch (attr) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE: {
      std::uint32_t type = 0;
      is_taken = take(type, buf, sizeInBytes);
      layout.type = type;
      break;
    }
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      is_taken = take(layout.order, buf, sizeInBytes);
      break;
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      is_taken = take(layout.rows, buf, sizeInBytes);
      break;
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      is_taken = take(layout.columns, buf, sizeInBytes);
      break;
    case CUBLASLT_MATRIX_LAYOUT_LD:
      is_taken = take(layout.leading_dimension, buf, sizeInBytes);
      break;
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      is_taken = take(layout.batch_count, buf, sizeInBytes);
      break;
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      is_taken = take(layout.batch_stride, buf, sizeInBytes);
      break;
  }
  if (!is_taken) return CUBLAS_STATUS_INVALID_VALUE;
  set_state(matLayout, layout);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t matmulDesc, std::size_t size,
                                               cublasComputeType_t computeType, cudaDataType_t scaleType) {
  return initialize(matmulDesc, size, Operation{.compute_type = computeType, .scale_type = scaleType});
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t matmulDesc, cublasLtMatmulDescAttributes_t attr,
                                              const void* buf, std::size_t sizeInBytes) {
  if (matmulDesc == nullptr || buf == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  auto operation = state_of<Operation>(matmulDesc);
  if (operation.mark != initialized) return CUBLAS_STATUS_INVALID_VALUE;
  bool is_taken = false;
  switch (attr) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
      is_taken = take(operation.compute_type, buf, sizeInBytes);
      break;
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
      is_taken = take(operation.scale_type, buf, sizeInBytes);
      break;
    case CUBLASLT_MATMUL_DESC_TRANSA:
      is_taken = take(operation.transpose_a, buf, sizeInBytes);
      break;
    case CUBLASLT_MATMUL_DESC_TRANSB:
      is_taken = take(operation.transpose_b, buf, sizeInBytes);
      break;
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      is_taken = take(operation.epilogue, buf, sizeInBytes);
      break;
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      is_taken = take(operation.bias, buf, sizeInBytes);
      break;
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
      is_taken = take(operation.bias_stride, buf, sizeInBytes);
      break;
  }
  if (!is_taken) return CUBLAS_STATUS_INVALID_VALUE;
  set_state(matmulDesc, operation);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t pref, std::size_t size) {
  return initialize(pref, size, Preference{});
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t pref,
                                                    cublasLtMatmulPreferenceAttributes_t attr, const void* buf,
                                                    std::size_t sizeInBytes) {
  if (pref == nullptr || buf == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  auto preference = state_of<Preference>(pref);
  if (preference.mark != initialized) return CUBLAS_STATUS_INVALID_VALUE;
  bool is_taken = false;
  switch (attr) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      is_taken = take(preference.max_workspace, buf, sizeInBytes);
      break;
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      is_taken = take(preference.reduction_schemes, buf, sizeInBytes);
      break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      is_taken = take(preference.alignment_a, buf, sizeInBytes);
      break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      is_taken = take(preference.alignment_b, buf, sizeInBytes);
      break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      is_taken = take(preference.alignment_c, buf, sizeInBytes);
      break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      is_taken = take(preference.alignment_d, buf, sizeInBytes);
      break;
  }
  if (!is_taken) return CUBLAS_STATUS_INVALID_VALUE;
  set_state(pref, preference);
  return CUBLAS_STATUS_SUCCESS;
}
