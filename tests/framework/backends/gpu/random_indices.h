#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::gpu {

/// Integers in [low, high), the same in every run.
inline Tensor random_indices(const Shape& shape, std::int64_t low, std::int64_t high, DType dtype = DType::int32) {
  std::mt19937 generator(7);
  std::uniform_int_distribution<std::int64_t> uniform(low, high - 1);
  std::vector<std::int64_t> values(static_cast<std::size_t>(shape.size()));
  for (std::int64_t& value : values) value = uniform(generator);
  return Tensor::from_data(shape, values).cast(dtype);
}

}  // namespace rhyton::gpu
