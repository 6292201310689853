#include <rhyton/framework/backends/gpu/check.h>

#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::gpu {

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  // Clears errors that do not stay, so that they are not taken for those of the next call.
  static_cast<void>(cudaGetLastError());
  const std::string message =
      std::string(call) + " failed with " + cudaGetErrorName(status) + ": " + cudaGetErrorString(status) + ".";
  if (status == cudaErrorMemoryAllocation) throw ResourceExhaustedError(message);
  throw RuntimeError(message);
}

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw RuntimeError(std::string(call) + " failed with " + cublasLtGetStatusName(status) + ": " +
                     cublasLtGetStatusString(status) + ".");
}

void check(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  throw RuntimeError(std::string(call) + " failed with " + cudnnGetErrorString(status) + ".");
}

}  // namespace rhyton::gpu
