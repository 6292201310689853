#pragma once

#include <cublasLt.h>
#include <cuda_runtime.h>
#include <cudnn.h>

#include <string>

namespace rhyton::gpu {

// Each throws unless the call has succeeded: ResourceExhaustedError when memory has run out, else RuntimeError. `call`
// names the failed function, "cudaMemcpyAsync"; callers that run an op add its name, shapes and device.

void check(cudaError_t status, const char* call);
void check(cublasStatus_t status, const char* call);
void check(cudnnStatus_t status, const char* call);

/// The name of a status that the last call of cuDNN in this thread has returned, and cuDNN's reason if there is one.
/// cuDNN returns it once.
std::string describe(cudnnStatus_t status);

}  // namespace rhyton::gpu
