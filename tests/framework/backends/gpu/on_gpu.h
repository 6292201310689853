#pragma once

#include <vector>

#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>

namespace rhyton::gpu {

/// The first result of the op's kernel, on the tests' stream.
inline Tensor on_gpu(const Op& op, const std::vector<Tensor>& inputs) {
  return run_kernel(op, inputs, test_stream())[0];
}

}  // namespace rhyton::gpu
