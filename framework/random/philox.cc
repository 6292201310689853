#include <rhyton/framework/random/philox.h>

#include <rhyton/framework/error.h>

namespace rhyton::random {
namespace {

/// The finalizer of SplitMix64: a bijection in which every input bit affects every output bit.
std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

}  // namespace

std::uint32_t PhiloxSequence::operator()() {
  if (used_ == 4) {
    words_ = philox4x32(key_, philox_counter(block_, stream_));
    ++block_;
    used_ = 0;
  }
  const std::uint32_t word = words_[static_cast<std::size_t>(used_)];
  ++used_;
  return word;
}

std::uint64_t PhiloxSequence::next_below(std::uint64_t bound) {
  if (bound == 0) throw ValueError("next_below needs a positive bound, got 0");
  // Values from the last, incomplete run of `bound` numbers are drawn again, else small results would be more likely.
  const std::uint64_t incomplete = (~bound + 1) % bound;
  while (true) {
    const std::uint64_t low = (*this)();
    const std::uint64_t value = (std::uint64_t{(*this)()} << 32) | low;
    if (value >= incomplete) return value % bound;
  }
}

std::uint64_t mix_key(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char character : name) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001B3U;
  }
  return mix_key(seed, hash);
}

std::uint64_t mix_key(std::uint64_t seed, std::uint64_t number) {
  return scramble(scramble(seed + 0x9E3779B97F4A7C15U) + scramble(number ^ 0xD1B54A32D192ED03U));
}

}  // namespace rhyton::random
