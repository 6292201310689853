#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/tensor/shape.h>

namespace rhyton::gpu {

/// A positive divisor of any size: dividends below 2^31 need no division.
class Divider {
 public:
  Divider() = default;
  // For such dividends, a divisor beyond 2^31 gives the same quotients as 2^31.
  explicit Divider(std::int64_t divisor) : divisor_(divisor), small_(std::min(divisor, std::int64_t{1} << 31)) {}

  __host__ __device__ std::int64_t divisor() const { return divisor_; }

  /// The quotient of a dividend that is not negative.
  __host__ __device__ std::int64_t divide(std::int64_t dividend) const {
    if (dividend >> 31 != 0) return dividend / divisor_;
    return small_.quotient(static_cast<std::int32_t>(dividend));
  }

 private:
  std::int64_t divisor_ = 1;
  Divisor<std::int32_t> small_;
};

/// How operands are indexed so that they broadcast to one output: the output's axes, without those of length 1 and with
/// those merged that all operands index alike. A unit is one element, or a pack of neighbours on the last axis.
template <int operands>
class Broadcasting {
 public:
  Broadcasting(const Shape& output, const std::array<const Shape*, operands>& shapes) : count_(output.size()) {
    std::int64_t step[operands];
    for (std::int64_t& value : step) value = 1;
    // Axes are stored here from the last to the first.
    for (int axis = output.rank() - 1; axis >= 0; --axis) {
      std::int64_t stride[operands];
      for (int k = 0; k < operands; ++k) {
        const Shape& shape = *shapes[static_cast<std::size_t>(k)];
        const int own = axis - (output.rank() - shape.rank());
        const std::int64_t length = own < 0 ? 1 : shape[own];
        stride[k] = length == 1 ? 0 : step[k];
        step[k] *= length;
      }
      if (output[axis] != 1) append(output[axis], stride);
    }
    if (rank_ == 0) append(1, {});
    units_ = count_;
    set_dividers();
  }

  /// Makes packs of `length` elements the units, if they are contiguous in all operands. `is_aligned`: per operand
  /// whether its first element is aligned for a pack.
  void use_packs(int length, const std::array<bool, operands>& is_aligned) {
    if (rank_ > 1 && lengths_[0] % length != 0) return;
    for (int k = 0; k < operands; ++k) {
      if (strides_[k][0] == 0) continue;
      if (!is_aligned[static_cast<std::size_t>(k)]) return;
      for (int axis = 1; axis < rank_; ++axis) {
        if (strides_[k][axis] % length != 0) return;
      }
    }
    has_packs_ = true;
    units_ = (count_ + length - 1) / length;
    lengths_[0] = (lengths_[0] + length - 1) / length;
    for (int k = 0; k < operands; ++k) strides_[k][0] *= length;
    set_dividers();
  }

  __host__ __device__ bool has_packs() const { return has_packs_; }
  __host__ __device__ std::int64_t units() const { return units_; }
  __host__ __device__ std::int64_t count() const { return count_; }
  /// Whether one element of the operand is repeated along the last axis.
  __host__ __device__ bool repeats(int operand) const { return strides_[operand][0] == 0; }

  /// The offset of each operand's part of a unit. There are few axes, and each copy of the loop's body is long.
  __host__ __device__ void locate(std::int64_t unit, std::int64_t (&offsets)[operands]) const {
    for (int k = 0; k < operands; ++k) offsets[k] = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int axis = 0; axis + 1 < rank_; ++axis) {
      const std::int64_t next = dividers_[axis].divide(unit);
      const std::int64_t position = unit - next * dividers_[axis].divisor();
      for (int k = 0; k < operands; ++k) offsets[k] += position * strides_[k][axis];
      unit = next;
    }
    for (int k = 0; k < operands; ++k) offsets[k] += unit * strides_[k][rank_ - 1];
  }

 private:
  void append(std::int64_t length, const std::int64_t (&stride)[operands]) {
    bool joins = rank_ > 0;
    for (int k = 0; k < operands && joins; ++k) joins = stride[k] == strides_[k][rank_ - 1] * lengths_[rank_ - 1];
    if (joins) {
      lengths_[rank_ - 1] *= length;
      return;
    }
    lengths_[rank_] = length;
    for (int k = 0; k < operands; ++k) strides_[k][rank_] = stride[k];
    ++rank_;
  }

  void set_dividers() {
    for (int axis = 0; axis < rank_; ++axis) {
      if (lengths_[axis] > 0) dividers_[axis] = Divider(lengths_[axis]);
    }
  }

  int rank_ = 0;
  bool has_packs_ = false;
  std::int64_t count_;
  std::int64_t units_;
  std::int64_t lengths_[Shape::max_rank] = {};
  Divider dividers_[Shape::max_rank];
  std::int64_t strides_[operands][Shape::max_rank] = {};
};

}  // namespace rhyton::gpu
