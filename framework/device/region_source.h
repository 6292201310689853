#pragma once

#include <cstddef>

namespace rhyton {

/// The source of an allocator's large regions of memory: the driver of a GPU, or the host.
class RegionSource {
 public:
  virtual ~RegionSource() = default;
  RegionSource(const RegionSource&) = delete;
  RegionSource& operator=(const RegionSource&) = delete;

  /// A region of that many bytes, at a multiple of 256; null if the source has no such memory.
  virtual void* take(std::size_t bytes) noexcept = 0;
  /// Releases a region of `take`.
  virtual void give_back(void* region, std::size_t bytes) noexcept = 0;

 protected:
  RegionSource() = default;
};

}  // namespace rhyton
