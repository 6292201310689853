#pragma once

#include <cuda_runtime.h>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/backends/gpu/shaping/strided_copy.h>
#include <rhyton/framework/tensor/shape.h>

namespace rhyton::gpu {

/// Where the elements of a contiguous tensor with these axes are in the tensor that the axes' strides are of.
template <class Index>
class StridedOffsets {
 public:
  /// At least one axis, and none of length 0.
  explicit StridedOffsets(const StridedAxes& axes) {
    for (const StridedAxis& axis : axes) {
      lengths_[rank_] = Divisor<Index>(axis.length);
      strides_[rank_] = static_cast<Index>(axis.stride);
      ++rank_;
    }
  }

  __host__ __device__ Index operator()(Index number) const {
    Index offset = 0;
    for (int axis = rank_ - 1; axis > 0; --axis) {
      const Index next = lengths_[axis].quotient(number);
      offset += (number - next * lengths_[axis].value()) * strides_[axis];
      number = next;
    }
    return offset + number * strides_[0];
  }

 private:
  int rank_ = 0;
  Divisor<Index> lengths_[Shape::max_rank];
  Index strides_[Shape::max_rank] = {};
};

}  // namespace rhyton::gpu
