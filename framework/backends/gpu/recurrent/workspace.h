#pragma once

#include <cstddef>
#include <cstdint>

namespace rhyton::gpu {

/// Cuts scratch memory into arrays, each of which begins at a multiple of 256 bytes. For a null base it only adds up
/// their sizes.
class WorkspaceParts {
 public:
  explicit WorkspaceParts(void* base) : base_(static_cast<std::byte*>(base)) {}

  template <class T>
  T* take(std::int64_t count) {
    constexpr std::size_t alignment = 256;
    std::byte* const at = base_ == nullptr ? nullptr : base_ + used_;
    used_ += (static_cast<std::size_t>(count) * sizeof(T) + alignment - 1) / alignment * alignment;
    return reinterpret_cast<T*>(at);
  }

  std::size_t bytes() const { return used_; }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

}  // namespace rhyton::gpu
