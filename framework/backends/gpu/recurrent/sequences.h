#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/ops/recurrent.h>

namespace rhyton::gpu {

/// One step of all sequences of a call, whose tensors are [batch, steps, columns]: where it lies in time, and the steps
/// before and after it in the order of the recurrence; -1 where there is none.
struct StepPlace {
  std::int64_t batch;
  std::int64_t steps;
  std::int64_t units;
  /// bool [batch, steps], or null.
  const std::uint8_t* mask;
  std::int64_t time;
  std::int64_t before;
  std::int64_t after;

  /// The row of a sample at that time.
  __device__ std::int64_t row(std::int64_t sample, std::int64_t at) const { return sample * steps + at; }
  __device__ std::int64_t row(std::int64_t sample) const { return row(sample, time); }
  /// Whether the states of a sample pass unchanged through the step at that time.
  __device__ bool is_masked(std::int64_t sample, std::int64_t at) const {
    return mask != nullptr && mask[row(sample, at)] == 0;
  }
  __device__ bool is_masked(std::int64_t sample) const { return is_masked(sample, time); }
};

/// The sequences of a call.
struct Sequences {
  std::int64_t batch;
  std::int64_t steps;
  std::int64_t units;
  const std::uint8_t* mask;
  bool reverse;

  std::int64_t states() const { return batch * units; }

  /// The step with that number in the order of the recurrence. -1 and `steps` are the places before and after all
  /// steps.
  __host__ __device__ StepPlace place(std::int64_t step) const {
    return {batch, steps, units, mask, time_of(step), time_of(step - 1), time_of(step + 1)};
  }

 private:
  __host__ __device__ std::int64_t time_of(std::int64_t step) const {
    if (step < 0 || step >= steps) return -1;
    return reverse ? steps - 1 - step : step;
  }
};

/// A thread for each element of [rows, columns]: the grid's x axis is along a row, its y axis over rows. Blocks are
/// small, so that the few elements of a step occupy many multiprocessors.
inline LaunchShape one_thread_for_each_cell(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t threads = 128;
  constexpr std::int64_t max_blocks_over_rows = 65535;
  std::int64_t threads_along_row = 1;
  while (threads_along_row < columns && threads_along_row < threads) threads_along_row *= 2;
  const std::int64_t rows_at_once = threads / threads_along_row;
  const std::int64_t blocks_along_row = (columns + threads_along_row - 1) / threads_along_row;
  const std::int64_t blocks_over_rows = std::min((rows + rows_at_once - 1) / rows_at_once, max_blocks_over_rows);
  return {dim3(static_cast<unsigned>(blocks_along_row), static_cast<unsigned>(blocks_over_rows)),
          dim3(static_cast<unsigned>(threads_along_row), static_cast<unsigned>(rows_at_once))};
}

#if defined(__CUDACC__) || defined(RHYTON_CUDA_EMULATION)
/// Calls function(row, column) for each element of [rows, columns].
template <class Function>
__global__ void run_on_rows(Function function, std::int64_t rows, std::int64_t columns) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.y) * blockDim.y;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y; row < rows; row += step) {
    function(row, column);
  }
}

template <class Function>
void launch_on_rows(GpuStream& stream, const char* what, const Function& function, std::int64_t rows,
                    std::int64_t columns) {
  launch(stream, what, one_thread_for_each_cell(rows, columns), &run_on_rows<Function>, function, rows, columns);
}
#endif

}  // namespace rhyton::gpu
