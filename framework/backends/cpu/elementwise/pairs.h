#pragma once

#include <cstdint>

#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::cpu {

/// An operand within a run of elements: it advances (step 1), or one element is repeated (step 0).
struct PairOperand {
  const void* data = nullptr;
  std::int64_t step = 1;
};

/// Computes `size` results from the elements of two operands.
using PairRun = void (*)(PairOperand a, PairOperand b, void* y, std::int64_t size);

/// Calls `run` for each run of elements that two operands have when they broadcast to `y`: once if both have its shape.
/// The iteration knows no types, and is compiled once for all kernels.
void run_pairs(const TensorView& a, const TensorView& b, const TensorView& y, PairRun run);

}  // namespace rhyton::cpu
