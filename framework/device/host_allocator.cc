#include <rhyton/framework/device/host_allocator.h>

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

#include <rhyton/framework/device/round_up.h>
#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// The accounted size of a block. Sizes near the maximum of the type are not rounded: they cannot be allocated anyway.
std::size_t accounted_bytes(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) return bytes;
  return round_up(std::max<std::size_t>(bytes, 1), HostAllocator::minimum_alignment);
}

/// The machine's memory, swap included: a larger block would be granted and then end the program when it is used.
std::size_t machine_bytes() {
  static const std::size_t bytes = [] {
    struct sysinfo info = {};
    if (::sysinfo(&info) != 0) return std::numeric_limits<std::size_t>::max() / 2;
    return (std::size_t{info.totalram} + info.totalswap) * info.mem_unit;
  }();
  return bytes;
}

/// Where the address that malloc returned is kept: just before the aligned block.
void*& origin_of(void* block) { return static_cast<void**>(block)[-1]; }

/// Unlike aligned_alloc of glibc, which looks for more than it was asked for and so cannot reuse a freed block for
/// another of the same size. Null if there is no memory. `alignment` is a power of two above that of malloc.
void* allocate_aligned(std::size_t bytes, std::size_t alignment) {
  void* const origin = std::malloc(bytes + alignment);
  if (origin == nullptr) return nullptr;
  const std::size_t past = reinterpret_cast<std::uintptr_t>(origin) % alignment;
  void* const block = static_cast<std::byte*>(origin) + (alignment - past);
  origin_of(block) = origin;
  return block;
}

}  // namespace

std::string out_of_memory_message(std::size_t bytes, const std::string& device_name, const std::string& allocator_name,
                                  const AllocatorStatistics& statistics) {
  return "OOM when allocating " + std::to_string(bytes) + " bytes on " + device_name + " by allocator " +
         allocator_name + ": limit " +
         (statistics.limit ? std::to_string(*statistics.limit) + " bytes" : std::string("none")) + ", in use " +
         std::to_string(statistics.in_use) + " bytes, peak " + std::to_string(statistics.peak) + " bytes" +
         (statistics.reserved > 0
              ? ", reserved " + std::to_string(statistics.reserved) + " bytes, largest free block " +
                    std::to_string(statistics.largest_free) + " bytes"
              : std::string()) +
         ". Try a smaller batch, a smaller model, or a higher memory_limit.";
}

HostAllocator::HostAllocator(std::string device_name, std::string name, std::optional<std::size_t> limit)
    : device_name_(std::move(device_name)), name_(std::move(name)), limit_(limit) {}

void HostAllocator::reserve(std::size_t rounded, std::size_t bytes) {
  std::size_t before = in_use_.load(std::memory_order_relaxed);
  const std::size_t limit = limit_.value_or(std::numeric_limits<std::size_t>::max());
  do {
    if (rounded > limit || before > limit - rounded) {
      throw ResourceExhaustedError(out_of_memory_message(bytes, device_name_, name_, statistics()));
    }
  } while (!in_use_.compare_exchange_weak(before, before + rounded, std::memory_order_relaxed));
  const std::size_t now = before + rounded;
  std::size_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < now && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

void* HostAllocator::allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t rounded = accounted_bytes(bytes);
  reserve(rounded, bytes);
  const bool wants_huge_pages = rounded >= huge_page_threshold;
  alignment = std::max(alignment, wants_huge_pages ? huge_page_bytes : minimum_alignment);
  const std::size_t extent = rounded <= machine_bytes() ? round_up(rounded, alignment) : 0;
  void* block = extent > 0 ? allocate_aligned(extent, alignment) : nullptr;
  if (block == nullptr) {
    in_use_.fetch_sub(rounded, std::memory_order_relaxed);
    throw ResourceExhaustedError(out_of_memory_message(bytes, device_name_, name_, statistics()));
  }
  // Only advice: a kernel without huge pages refuses it without harm. The last page is a huge one too, though the block
  // may not fill it: one page fault instead of up to 512.
  if (wants_huge_pages) ::madvise(block, extent, MADV_HUGEPAGE);
  blocks_.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void HostAllocator::deallocate(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  std::free(origin_of(block));
  in_use_.fetch_sub(accounted_bytes(bytes), std::memory_order_relaxed);
  blocks_.fetch_sub(1, std::memory_order_relaxed);
}

AllocatorStatistics HostAllocator::statistics() const {
  return {.in_use = in_use_.load(std::memory_order_relaxed),
          .peak = peak_.load(std::memory_order_relaxed),
          .limit = limit_,
          .blocks = blocks_.load(std::memory_order_relaxed)};
}

void HostAllocator::reset_peak() { peak_.store(in_use_.load(std::memory_order_relaxed), std::memory_order_relaxed); }

}  // namespace rhyton
