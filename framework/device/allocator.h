#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace rhyton {

/// What an allocator has given out, in bytes, with each block rounded up to the allocator's granularity.
struct AllocatorStatistics {
  std::size_t in_use = 0;
  /// The highest `in_use` so far, or since `Allocator::reset_peak`.
  std::size_t peak = 0;
  /// The most that may be in use at one time; empty when only the machine bounds it.
  std::optional<std::size_t> limit;
  /// Blocks in use.
  std::size_t blocks = 0;
  /// What was taken from the device, in use or not, and the largest block of it that is free; 0 for allocators that
  /// take each block from the machine by itself.
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
  /// Gives back a block of `allocate`; `bytes` is what was asked for then.
  virtual void deallocate(void* block, std::size_t bytes) noexcept = 0;

  virtual AllocatorStatistics statistics() const = 0;
  /// Lets the peak start again from what is in use now.
  virtual void reset_peak() = 0;
  /// The name that messages use: "CPU_0", "GPU_1".
  virtual const std::string& name() const = 0;

 protected:
  Allocator() = default;
};

/// The text of the error for memory that has run out: the bytes asked for, the device, the limit, what is in use, and
/// what to try.
std::string out_of_memory_message(std::size_t bytes, const std::string& device_name, const std::string& allocator_name,
                                  const AllocatorStatistics& statistics);

}  // namespace rhyton
