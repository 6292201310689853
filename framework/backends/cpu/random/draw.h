#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/random/philox.h>

namespace rhyton::cpu {

// Parts of a stream of random numbers, chunk by chunk.

inline constexpr std::size_t random_lanes = 16;
inline constexpr std::size_t chunk_words = 4 * random_lanes;
using Words = std::array<std::uint32_t, chunk_words>;

/// The words of the blocks first_block … first_block + random_lanes - 1: random::philox4x32 for many counters at once,
/// so that the rounds vectorise.
inline void philox_chunk(std::uint64_t key, std::uint64_t first_block, std::uint64_t stream, Words& words) {
  using Lanes = std::array<std::uint64_t, random_lanes>;  // of 32 bits each, so that the products need no widening
  Lanes c0, c1, c2, c3;
  for (std::size_t i = 0; i < random_lanes; ++i) {
    c0[i] = (first_block + i) & 0xFFFFFFFFU;
    c1[i] = (first_block + i) >> 32;
    c2[i] = stream & 0xFFFFFFFFU;
    c3[i] = stream >> 32;
  }
  std::uint32_t key_low = static_cast<std::uint32_t>(key);
  std::uint32_t key_high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < random_lanes; ++i) {
      const std::uint64_t product_0 = std::uint64_t{0xD2511F53U} * (c0[i] & 0xFFFFFFFFU);
      const std::uint64_t product_1 = std::uint64_t{0xCD9E8D57U} * (c2[i] & 0xFFFFFFFFU);
      c0[i] = (product_1 >> 32) ^ c1[i] ^ key_low;
      c1[i] = product_1 & 0xFFFFFFFFU;
      c2[i] = (product_0 >> 32) ^ c3[i] ^ key_high;
      c3[i] = product_0 & 0xFFFFFFFFU;
    }
    key_low += 0x9E3779B9U;
    key_high += 0xBB67AE85U;
  }
  for (std::size_t i = 0; i < random_lanes; ++i) {
    words[4 * i] = static_cast<std::uint32_t>(c0[i]);
    words[4 * i + 1] = static_cast<std::uint32_t>(c1[i]);
    words[4 * i + 2] = static_cast<std::uint32_t>(c2[i]);
    words[4 * i + 3] = static_cast<std::uint32_t>(c3[i]);
  }
}

// An element of float takes one word of the stream and one of double two: the element's number determines which.

template <class T>
inline constexpr std::size_t chunk_elements = chunk_words * sizeof(float) / sizeof(T);

template <class T>
using Chunk = std::array<T, chunk_elements<T>>;

inline void uniform_chunk(const Words& words, Chunk<float>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random::uniform_float(words[i]);
}

inline void uniform_chunk(const Words& words, Chunk<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = random::uniform_double(words[2 * i], words[2 * i + 1]);
  }
}

/// Elements first … first + size - 1 of a stream: `fill` makes a chunk of values from a chunk of words.
template <class T, class Fill>
void draw(std::uint64_t key, std::uint64_t stream, std::uint64_t first, std::uint64_t size, T* y, const Fill& fill) {
  Words words;
  Chunk<T> values;
  const std::uint64_t last = first + size;
  while (first < last) {
    const std::uint64_t chunk = first / values.size();
    const std::uint64_t end = std::min(last, (chunk + 1) * values.size());
    philox_chunk(key, chunk * random_lanes, stream, words);
    fill(words, values);
    const std::uint64_t skipped = first - chunk * values.size();
    y = std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(skipped), end - first, y);
    first = end;
  }
}

/// The same for numbers in [0, 1).
template <class T>
void draw_uniform(std::uint64_t key, std::uint64_t stream, std::uint64_t first, std::uint64_t size, T* y) {
  draw<T>(key, stream, first, size, y, [](const Words& words, Chunk<T>& values) { uniform_chunk(words, values); });
}

}  // namespace rhyton::cpu
