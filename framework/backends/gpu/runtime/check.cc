#include <rhyton/framework/backends/gpu/runtime/check.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <rhyton/framework/error.h>

namespace rhyton::gpu {

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  // Clears errors that are not sticky, so that the next call does not report them.
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
  throw RuntimeError(std::string(call) + " failed with " + describe(status) + ".");
}

std::string describe(cudnnStatus_t status) {
  std::array<char, 1024> text{};
  cudnnGetLastErrorString(text.data(), text.size() - 1);
  std::ranges::replace(text, '\n', ' ');
  std::string_view reason(text.data());
  reason = reason.substr(0, reason.find_last_not_of(" .") + 1);
  const std::string name = cudnnGetErrorString(status);
  return reason.empty() ? name : name + ": " + std::string(reason);
}

}  // namespace rhyton::gpu
