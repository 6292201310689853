#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace rhyton {

/// The memory that an allocator has handed out, in bytes, with each block rounded up to the allocator's granularity.
struct AllocatorStatistics {
  std::size_t in_use = 0;
  /// The highest `in_use` so far, or since `Allocator::reset_peak`.
  std::size_t peak = 0;
  /// The maximum that may be in use at one time; empty when only the machine limits it.
  std::optional<std::size_t> limit;
  /// Blocks in use.
  std::size_t blocks = 0;
  /// The bytes taken from the device, in use or not, and the size of the largest free block of them; 0 for allocators
  /// that take each block from the machine separately.
  std::size_t reserved = 0;
  std::size_t largest_free = 0;
};

/// The memory of one logical device. Every member function may be called from several threads at once.
class Allocator {
 public:
  virtual ~Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// A block of `bytes` bytes (0 is allowed and gives a unique block) at a multiple of `alignment`, a power of two.
  /// Throws ResourceExhaustedError when the limit, or the machine, has no more.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  /// Releases a block of `allocate`; `bytes` is the requested size.
  virtual void deallocate(void* block, std::size_t bytes) noexcept = 0;

  /// The memory in use now, and its peak.
  virtual AllocatorStatistics statistics() const = 0;
  /// Sets the peak to the bytes in use now.
  virtual void reset_peak() = 0;
  /// The name that messages use: "CPU_0", "GPU_1".
  virtual const std::string& name() const = 0;

 protected:
  Allocator() = default;
};

/// The text of an out-of-memory error: the bytes requested, the device, the limit, the bytes in use, and suggestions.
std::string out_of_memory_message(std::size_t bytes, const std::string& device_name, const std::string& allocator_name,
                                  const AllocatorStatistics& statistics);

}  // namespace rhyton
