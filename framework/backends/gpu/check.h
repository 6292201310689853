#pragma once

#include <cublasLt.h>
#include <cuda_runtime.h>
#include <cudnn.h>

namespace rhyton::gpu {

// Each throws unless the call has succeeded: ResourceExhaustedError where memory has run out, else RuntimeError.
// `call` names what was called, "cudaMemcpyAsync"; whoever runs an op adds its name, shapes and device.

void check(cudaError_t status, const char* call);
void check(cublasStatus_t status, const char* call);
void check(cudnnStatus_t status, const char* call);

}  // namespace rhyton::gpu
