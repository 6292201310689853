#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

/// The elements of a tensor of int32, int64 or uint8.
class Indices {
 public:
  explicit Indices(const TensorView& tensor)
      : data_(tensor.data), bytes_(static_cast<int>(size_of(tensor.spec.dtype))) {
    const DType dtype = tensor.spec.dtype;
    if (dtype == DType::int32 || dtype == DType::int64 || dtype == DType::uint8) return;
    throw InvalidArgumentError("Indices must be int32, int64 or uint8, but they are " + std::string(name_of(dtype)));
  }

  __host__ __device__ std::int64_t operator[](std::int64_t i) const {
    if (bytes_ == 4) return static_cast<const std::int32_t*>(data_)[i];
    if (bytes_ == 8) return static_cast<const std::int64_t*>(data_)[i];
    return static_cast<const std::uint8_t*>(data_)[i];
  }

 private:
  const void* data_;
  int bytes_;
};

}  // namespace rhyton::gpu
