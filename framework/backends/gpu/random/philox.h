#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <numbers>

// `framework/random/philox.h` for code that runs on GPUs: the same words, and the same numbers from them.

namespace rhyton::gpu {

/// Four words of random bits.
struct PhiloxWords {
  std::uint32_t words[4];
};

/// Block number `block` of the sub-stream `stream` of a key: Philox4x32 with 10 rounds.
__host__ __device__ inline PhiloxWords philox4x32(std::uint64_t key, std::uint64_t block, std::uint64_t stream) {
  auto key_low = static_cast<std::uint32_t>(key);
  auto key_high = static_cast<std::uint32_t>(key >> 32);
  auto c0 = static_cast<std::uint32_t>(block);
  auto c1 = static_cast<std::uint32_t>(block >> 32);
  auto c2 = static_cast<std::uint32_t>(stream);
  auto c3 = static_cast<std::uint32_t>(stream >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = std::uint64_t{0xD2511F53U} * c0;
    const std::uint64_t product_1 = std::uint64_t{0xCD9E8D57U} * c2;
    c0 = static_cast<std::uint32_t>(product_1 >> 32) ^ c1 ^ key_low;
    c1 = static_cast<std::uint32_t>(product_1);
    c2 = static_cast<std::uint32_t>(product_0 >> 32) ^ c3 ^ key_high;
    c3 = static_cast<std::uint32_t>(product_0);
    key_low += 0x9E3779B9U;
    key_high += 0xBB67AE85U;
  }
  return {{c0, c1, c2, c3}};
}

/// The number of numbers of a floating type from one block.
template <class Number>
inline constexpr int numbers_per_block = 16 / static_cast<int>(sizeof(Number));

/// Numbers in [0, 1).
__host__ __device__ inline void uniform_numbers(const PhiloxWords& bits, float (&numbers)[4]) {
  for (int i = 0; i < 4; ++i) numbers[i] = static_cast<float>(bits.words[i] >> 8) * 0x1p-24F;
}

__host__ __device__ inline double uniform_double(std::uint32_t low, std::uint32_t high) {
  return static_cast<double>(((std::uint64_t{high} << 32) | low) >> 11) * 0x1p-53;
}

__host__ __device__ inline void uniform_numbers(const PhiloxWords& bits, double (&numbers)[2]) {
  for (int i = 0; i < 2; ++i) numbers[i] = uniform_double(bits.words[2 * i], bits.words[2 * i + 1]);
}

/// Numbers of the normal distribution with mean 0 and deviation 1 (Box and Muller).
__host__ __device__ inline void normal_numbers(const PhiloxWords& bits, float (&numbers)[4]) {
  for (int i = 0; i < 4; i += 2) {
    const float uniform = (static_cast<float>(bits.words[i]) + 1.0F) * 0x1p-32F;
    const float radius = std::sqrt(-2.0F * std::log(uniform));
    const float angle = 2.0F * std::numbers::pi_v<float> * (static_cast<float>(bits.words[i + 1] >> 8) * 0x1p-24F);
    numbers[i] = radius * std::cos(angle);
    numbers[i + 1] = radius * std::sin(angle);
  }
}

__host__ __device__ inline void normal_numbers(const PhiloxWords& bits, double (&numbers)[2]) {
  const double uniform = 1.0 - uniform_double(bits.words[0], bits.words[1]);
  const double radius = std::sqrt(-2.0 * std::log(uniform));
  const double angle = 2.0 * std::numbers::pi * uniform_double(bits.words[2], bits.words[3]);
  numbers[0] = radius * std::cos(angle);
  numbers[1] = radius * std::sin(angle);
}

/// A normal number within two deviations: element number `element` has a block of its own, and further ones if none of
/// the block's numbers is in range.
template <class Number>
__host__ __device__ Number truncated_normal_number(std::uint64_t key, std::uint64_t element, std::uint64_t stream) {
  for (std::uint64_t attempt = 0; attempt < 256; ++attempt) {
    Number candidates[numbers_per_block<Number>];
    normal_numbers(philox4x32(key, element | attempt << 56, stream), candidates);
    for (const Number candidate : candidates) {
      if (std::abs(candidate) <= Number(2)) return candidate;
    }
  }
  return Number(0);  // never reached in practice: the probability is below 10^-300
}

}  // namespace rhyton::gpu
