#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

namespace rhyton::gpu {

/// A positive divisor that is known when a kernel is launched.
template <class Index>
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(std::int64_t value) : value_(value) {}

  __host__ __device__ Index value() const { return value_; }
  /// For a number that is not negative.
  __host__ __device__ Index quotient(Index number) const { return number / value_; }

 private:
  Index value_ = 1;
};

/// The same for 32 bits, by a multiplication instead of a division (Granlund and Montgomery, "Division by invariant
/// integers using multiplication").
template <>
class Divisor<std::int32_t> {
 public:
  Divisor() = default;
  explicit Divisor(std::int64_t value) : value_(static_cast<std::uint32_t>(value)) {
    while ((std::uint64_t{1} << shift_) < value_) ++shift_;
    const std::uint64_t excess = (std::uint64_t{1} << shift_) - value_;
    multiplier_ = static_cast<std::uint32_t>((excess << 32) / value_ + 1);
  }

  __host__ __device__ std::int32_t value() const { return static_cast<std::int32_t>(value_); }
  __host__ __device__ std::int32_t quotient(std::int32_t number) const {
    const auto dividend = static_cast<std::uint32_t>(number);
    const auto high = static_cast<std::uint32_t>((std::uint64_t{dividend} * multiplier_) >> 32);
    return static_cast<std::int32_t>((high + dividend) >> shift_);
  }

 private:
  std::uint32_t value_ = 1;
  std::uint32_t multiplier_ = 1;
  std::uint32_t shift_ = 0;
};

/// Calls function(an integer) with an integer of the narrowest type, 32 or 64 bits, that can count to `maximum`.
template <class Function>
void with_index_type(std::int64_t maximum, const Function& function) {
  if (maximum <= std::numeric_limits<std::int32_t>::max()) return function(std::int32_t());
  return function(std::int64_t());
}

}  // namespace rhyton::gpu
