#include <device_memory.h>

#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>

#include <calls.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace rhyton::cuda_emulation {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t page = 4096;
// Devices' memory uses huge pages if the system has them: the time to open and close it grows with the number of pages.
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr unsigned char guard_byte = 0xA5;

std::size_t rounded_up(std::size_t bytes, std::size_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

// Guard bytes between allocations: AddressSanitizer detects any access; without it, writes are detected on release.
void guard(unsigned char* begin, const unsigned char* end) {
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region(begin, static_cast<std::size_t>(end - begin));
#else
  std::memset(begin, guard_byte, static_cast<std::size_t>(end - begin));
#endif
}

void check_guard(const unsigned char* begin, const unsigned char* end) {
#ifndef __SANITIZE_ADDRESS__
  for (const unsigned char* byte = begin; byte != end; ++byte) {
    if (*byte != guard_byte) {
      fail("Device memory was written %td bytes behind the end of an allocation.", byte - begin);
    }
  }
#else
  static_cast<void>(begin);
  static_cast<void>(end);
#endif
}

void unguard(unsigned char* begin, std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(begin, bytes);
#else
  static_cast<void>(begin);
  static_cast<void>(bytes);
#endif
}

// The memory of one device: addresses that are reserved once, so that one call opens or closes all of it.
class Arena {
 public:
  void* allocate(std::size_t bytes) {
    if (bytes > memory_limit() || used_ + bytes > memory_limit()) return nullptr;
    if (base_ == nullptr) reserve();
    // At least one guard byte follows each allocation.
    const std::size_t size = rounded_up(bytes + 1, alignment);
    const std::size_t offset = place(size);
    if (offset + size > reserved_bytes) return nullptr;
    allocations_[offset] = {bytes, size};
    used_ += bytes;
    end_ = std::max(end_, rounded_up(offset + size, huge_page));
    const Devices before = opened;
    open_only(before | only(device_));
    mprotect(base_, end_, PROT_READ | PROT_WRITE);
    unguard(base_ + offset, bytes);
    std::memset(base_ + offset, 0xFF, bytes);
    guard(base_ + offset + bytes, base_ + offset + size);
    open_only(before);
    return base_ + offset;
  }

  bool release(const void* data) {
    const auto found = allocations_.find(offset_of(data));
    if (!reserves(data) || found == allocations_.end()) return false;
    const auto [offset, allocation] = *found;
    unsigned char* const begin = base_ + offset;
    const Devices before = opened;
    open_only(before | only(device_));
    check_guard(begin + allocation.bytes, begin + allocation.size);
    guard(begin, begin + allocation.size);
    open_only(before);
    const std::size_t first_page = rounded_up(offset, huge_page);
    const std::size_t last_page = (offset + allocation.size) / huge_page * huge_page;
    if (first_page < last_page) madvise(base_ + first_page, last_page - first_page, MADV_DONTNEED);
    used_ -= allocation.bytes;
    allocations_.erase(found);
    return true;
  }

  bool reserves(const void* data) const { return base_ != nullptr && offset_of(data) < reserved_bytes; }

  bool holds(const void* data, std::size_t bytes) const {
    const std::size_t offset = offset_of(data);
    auto after = allocations_.upper_bound(offset);
    if (after == allocations_.begin()) return false;
    --after;
    const std::size_t inside = offset - after->first;
    return inside < after->second.bytes && bytes <= after->second.bytes - inside;
  }

  void set_open(bool open) {
    if (end_ > 0) mprotect(base_, end_, open ? PROT_READ | PROT_WRITE : PROT_NONE);
  }

  std::size_t used() const { return used_; }
  void set_device(int device) { device_ = device; }

  /// The devices whose memory is currently accessible.
  static inline Devices opened = 0;

 private:
  struct Allocation {
    std::size_t bytes;
    std::size_t size;
  };

  static constexpr std::size_t reserved_bytes = std::size_t{64} << 30;

  void reserve() {
    void* const address =
        mmap(nullptr, reserved_bytes + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) fail("No addresses are left for the memory of a device.");
    const std::size_t unaligned = reinterpret_cast<std::uintptr_t>(address) % huge_page;
    base_ = static_cast<unsigned char*>(address) + (huge_page - unaligned);
    madvise(base_, reserved_bytes, MADV_HUGEPAGE);
  }

  // The first gap that is large enough.
  std::size_t place(std::size_t size) const {
    std::size_t offset = 0;
    for (const auto& [begin, allocation] : allocations_) {
      if (begin - offset >= size) return offset;
      offset = begin + allocation.size;
    }
    return offset;
  }

  std::size_t offset_of(const void* data) const {
    return reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(base_);
  }

  int device_ = 0;
  unsigned char* base_ = nullptr;
  std::size_t end_ = 0;
  std::size_t used_ = 0;
  std::map<std::size_t, Allocation> allocations_;
};

std::array<Arena, max_devices>& arenas() {
  static auto& all = *[] {
    auto* const made = new std::array<Arena, max_devices>();
    for (int device = 0; device < max_devices; ++device) (*made)[static_cast<std::size_t>(device)].set_device(device);
    return made;
  }();
  return all;
}

Arena& arena(int device) { return arenas()[static_cast<std::size_t>(device)]; }

// Pinned allocations by address.
std::map<std::uintptr_t, std::size_t>& pinned() {
  static auto& all = *new std::map<std::uintptr_t, std::size_t>();
  return all;
}

}  // namespace

void* allocate(int device, std::size_t bytes) { return arena(device).allocate(bytes); }

bool release(void* data) {
  for (Arena& candidate : arenas()) {
    if (candidate.reserves(data)) return candidate.release(data);
  }
  return false;
}

void* allocate_pinned(std::size_t bytes) {
  void* const data = std::aligned_alloc(page, rounded_up(std::max<std::size_t>(bytes, 1), page));
  if (data != nullptr) pinned()[reinterpret_cast<std::uintptr_t>(data)] = bytes;
  return data;
}

bool release_pinned(void* data) {
  if (pinned().erase(reinterpret_cast<std::uintptr_t>(data)) == 0) return false;
  std::free(data);
  return true;
}

Location locate(const void* data, std::size_t bytes) {
  for (int device = 0; device < max_devices; ++device) {
    if (!arena(device).reserves(data)) continue;
    return {arena(device).holds(data, bytes) ? Kind::device : Kind::invalid, only(device)};
  }
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  auto after = pinned().upper_bound(address);
  if (after == pinned().begin()) return {Kind::pageable, 0};
  --after;
  const std::size_t inside = address - after->first;
  if (inside >= after->second) return {Kind::pageable, 0};
  return {bytes <= after->second - inside ? Kind::pinned : Kind::invalid, 0};
}

void open_only(Devices devices) {
  for (int device = 0; device < max_devices; ++device) {
    if (((devices ^ Arena::opened) & only(device)) != 0) arena(device).set_open((devices & only(device)) != 0);
  }
  Arena::opened = devices;
}

std::size_t bytes_in_use(int device) {
  const std::scoped_lock lock(mutex());
  return arena(device).used();
}

int device_of(const void* address) {
  const std::scoped_lock lock(mutex());
  for (int device = 0; device < max_devices; ++device) {
    if (arena(device).holds(address, 1)) return device;
  }
  return -1;
}

}  // namespace rhyton::cuda_emulation
