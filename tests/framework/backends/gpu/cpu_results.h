#pragma once

#include <vector>

#include <gtest/gtest.h>

#include <rhyton/tests/framework/backends/gpu/on_gpu.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu {

/// Whether the op's kernel gives the bits that the CPU's kernel gives.
inline ::testing::AssertionResult gives_bits_of_cpu(const OpPtr& op, const std::vector<Tensor>& inputs) {
  return test::same_bits(on_gpu(*op, inputs), apply_single(op, inputs));
}

}  // namespace rhyton::gpu
