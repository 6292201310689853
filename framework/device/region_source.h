#pragma once

#include <cstddef>

namespace rhyton {

/// Where an allocator gets large pieces of memory, which it then deals out: the driver of a GPU, or the host.
class RegionSource {
 public:
  virtual ~RegionSource() = default;
  RegionSource(const RegionSource&) = delete;
  RegionSource& operator=(const RegionSource&) = delete;

  /// A region of that many bytes, at a multiple of 256; null where there is none of this size.
  virtual void* take(std::size_t bytes) noexcept = 0;
  /// Gives back what `take` gave.
  virtual void give_back(void* region, std::size_t bytes) noexcept = 0;

 protected:
  RegionSource() = default;
};

}  // namespace rhyton
