#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace rhyton::cuda_emulation {

/// Rounds to the nearest value of TensorFloat-32.
inline float rounded_to_tensor_float_32(float value) {
  if (!std::isfinite(value)) return value;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000U) & ~0x1FFFU);
}

}  // namespace rhyton::cuda_emulation
