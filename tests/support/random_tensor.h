#pragma once

#include <cstdint>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::test {

/// A tensor of uniform numbers in [low, high), determined by the seed.
Tensor random_tensor(const Shape& shape, std::uint64_t seed, double low = -1.0, double high = 1.0,
                     DType dtype = DType::float32);

}  // namespace rhyton::test
