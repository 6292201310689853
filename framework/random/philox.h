#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <utility>

/// Random bits as a pure function of a key and a counter: any position of any stream can be computed independently, on
/// any device and in any order, with the same bits.
namespace rhyton::random {

/// The position in a key's stream: 128 bits, lowest word first.
using PhiloxCounter = std::array<std::uint32_t, 4>;

/// The counter of block number `block` of the sub-stream `stream`.
constexpr PhiloxCounter philox_counter(std::uint64_t block, std::uint64_t stream = 0) {
  return {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
          static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)};
}

/// Philox4x32 with 10 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"): four words of random bits.
constexpr std::array<std::uint32_t, 4> philox4x32(std::uint64_t key, PhiloxCounter counter) {
  auto key_low = static_cast<std::uint32_t>(key);
  auto key_high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t product_1 = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {
        static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key_low, static_cast<std::uint32_t>(product_1),
        static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key_high, static_cast<std::uint32_t>(product_0)};
    key_low += 0x9E3779B9U;
    key_high += 0xBB67AE85U;
  }
  return counter;
}

/// A float in [0, 1): a multiple of 2^-24, all equally likely.
constexpr float uniform_float(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24F; }

/// A double in [0, 1): a multiple of 2^-53, all equally likely.
constexpr double uniform_double(std::uint32_t low, std::uint32_t high) {
  return static_cast<double>(((std::uint64_t{high} << 32) | low) >> 11) * 0x1p-53;
}

/// Two independent numbers of the normal distribution with mean 0 and deviation 1 (Box and Muller), below 6.7 in size.
inline std::pair<float, float> normal_floats(std::uint32_t first, std::uint32_t second) {
  // In (0, 1]: the logarithm needs a positive number. All 32 bits count, as small values make the tails.
  const float uniform = (static_cast<float>(first) + 1.0F) * 0x1p-32F;
  const float radius = std::sqrt(-2.0F * std::log(uniform));
  const float angle = 2.0F * std::numbers::pi_v<float> * uniform_float(second);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// The same in double precision, from the four words of one block, below 8.6 in size.
inline std::pair<double, double> normal_doubles(const std::array<std::uint32_t, 4>& bits) {
  const double uniform = 1.0 - uniform_double(bits[0], bits[1]);
  const double radius = std::sqrt(-2.0 * std::log(uniform));
  const double angle = 2.0 * std::numbers::pi * uniform_double(bits[2], bits[3]);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// The words of one key's stream one after the other, for code that draws a few numbers on the host.
class PhiloxSequence {
 public:
  using result_type = std::uint32_t;

  explicit PhiloxSequence(std::uint64_t key, std::uint64_t stream = 0) : key_(key), stream_(stream) {}

  /// The next word, which makes this a standard UniformRandomBitGenerator.
  std::uint32_t operator()();
  static constexpr std::uint32_t min() { return 0; }
  static constexpr std::uint32_t max() { return 0xFFFFFFFFU; }

  /// A float in [0, 1).
  float next_uniform() { return uniform_float((*this)()); }
  /// An integer in [0, bound), all equally likely. `bound` must be positive.
  std::uint64_t next_below(std::uint64_t bound);

 private:
  std::uint64_t key_;
  std::uint64_t stream_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  int used_ = 4;
};

/// A key derived from `seed` and a name: a 64-bit hash that is the same in every build and on every machine, and for
/// which nearby seeds and names give unrelated keys.
std::uint64_t mix_key(std::uint64_t seed, std::string_view name);
/// The same for a number: a call index, a step, a replica.
std::uint64_t mix_key(std::uint64_t seed, std::uint64_t number);

}  // namespace rhyton::random
