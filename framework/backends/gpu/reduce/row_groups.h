#pragma once

#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/reduce/block_reduce.h>

// Kernels that process each row of [rows, length] separately. Short rows are processed by a group of threads of a warp,
// long ones by a block; the choice is a function of the shape only.

namespace rhyton::gpu {

/// The operations that rows are reduced by.
struct Plus {
  template <class T>
  __device__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
  template <class T, int count>
  __device__ Sums<T, count> operator()(const Sums<T, count>& a, const Sums<T, count>& b) const {
    Sums<T, count> total;
    for (int i = 0; i < count; ++i) total.of[i] = a.of[i] + b.of[i];
    return total;
  }
};

/// The larger of two numbers; of a number and NaN the number.
struct Larger {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a > b || b != b ? a : b;
  }
};

/// Neighbouring threads of a warp.
struct WarpGroup {
  int lanes;
  /// The warp's last groups may have no row: they take part in operations of all threads of a warp, and write nothing.
  bool has_row;

  __device__ int thread() const { return static_cast<int>(threadIdx.x) % lanes; }
  __device__ int threads() const { return lanes; }
  template <class Value, class Join>
  __device__ Value reduce(const Value& value, const Join& join) const {
    return warp_reduce(value, lanes, join);
  }
};

struct BlockGroup {
  static constexpr bool has_row = true;

  __device__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int threads() const { return static_cast<int>(blockDim.x); }
  template <class Value, class Join>
  __device__ Value reduce(const Value& value, const Join& join) const {
    return block_reduce(value, join);
  }
};

/// The elements of a row that this thread of a group processes, as numbers: held in registers where a thread has at
/// most `held`, read again each time where that is 0.
template <class T, int held>
class RowShare {
 public:
  template <class Group>
  __device__ RowShare(const Group& group, const T* row, std::int64_t length)
      : row_(row), length_(group.has_row ? length : 0), first_(group.thread()), step_(group.threads()) {
    if constexpr (held > 0) {
      for (int k = 0; k < held; ++k) {
        const std::int64_t at = first_ + k * step_;
        if (at < length_) numbers_[k] = number(row_[at]);
      }
    }
  }

  /// Calls body(at, number) for each element.
  template <class Body>
  __device__ void for_each(const Body& body) const {
    if constexpr (held > 0) {
      for (int k = 0; k < held; ++k) {
        const std::int64_t at = first_ + k * step_;
        if (at < length_) body(at, numbers_[k]);
      }
    } else {
      for (std::int64_t at = first_; at < length_; at += step_) body(at, number(row_[at]));
    }
  }

  /// Calls body(at, number, the other's number) for each element of two rows of one length.
  template <class Other, class Body>
  __device__ void for_each_with(const RowShare<Other, held>& other, const Body& body) const {
    if constexpr (held > 0) {
      for (int k = 0; k < held; ++k) {
        const std::int64_t at = first_ + k * step_;
        if (at < length_) body(at, numbers_[k], other.numbers_[k]);
      }
    } else {
      for (std::int64_t at = first_; at < length_; at += step_) body(at, number(row_[at]), number(other.row_[at]));
    }
  }

 private:
  template <class, int>
  friend class RowShare;

  const T* row_;
  std::int64_t length_;
  int first_;
  std::int64_t step_;
  Computed<T> numbers_[held > 0 ? held : 1];
};

/// Calls task.run<held>(group, row) for each row.
template <int held, class Task>
__global__ void __launch_bounds__(128) each_row_in_warps(std::int64_t rows, int lanes, Task task) {
  const std::int64_t rows_per_block = static_cast<int>(blockDim.x) / lanes;
  for (std::int64_t first = blockIdx.x * rows_per_block; first < rows; first += gridDim.x * rows_per_block) {
    const std::int64_t row = first + static_cast<int>(threadIdx.x) / lanes;
    task.template run<held>(WarpGroup{lanes, row < rows}, row);
  }
}

template <int held, class Task>
__global__ void __launch_bounds__(256) each_row_in_blocks(std::int64_t rows, Task task) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) task.template run<held>(BlockGroup(), row);
}

template <int held, class Task>
void launch_each_row_in_warps(GpuStream& stream, const char* what, std::int64_t rows, std::int64_t length,
                              const Task& task) {
  constexpr unsigned threads = 128;
  int lanes = 1;
  while (lanes < warp_size && lanes < length) lanes *= 2;
  const std::int64_t rows_per_block = threads / lanes;
  launch(stream, what, one_block_each((rows + rows_per_block - 1) / rows_per_block, threads),
         &each_row_in_warps<held, Task>, rows, lanes, task);
}

template <int held, class Task>
void launch_each_row_in_blocks(GpuStream& stream, const char* what, std::int64_t rows, const Task& task) {
  launch(stream, what, one_block_each(rows), &each_row_in_blocks<held, Task>, rows, task);
}

/// Enqueues a task for the rows of that length.
template <class Task>
void launch_each_row(GpuStream& stream, const char* what, std::int64_t rows, std::int64_t length, const Task& task) {
  if (rows == 0) return;
  // Enough warps to keep the GPU busy.
  constexpr std::int64_t many_rows = 528;
  if (length <= 32) {
    launch_each_row_in_warps<1>(stream, what, rows, length, task);
  } else if (length <= 256) {
    launch_each_row_in_warps<8>(stream, what, rows, length, task);
  } else if (length <= 1024 && rows >= many_rows) {
    launch_each_row_in_warps<32>(stream, what, rows, length, task);
  } else if (length <= 4096) {
    launch_each_row_in_blocks<16>(stream, what, rows, task);
  } else {
    launch_each_row_in_blocks<0>(stream, what, rows, task);
  }
}

}  // namespace rhyton::gpu
