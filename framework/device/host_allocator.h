#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>

#include <rhyton/framework/device/allocator.h>

namespace rhyton {

/// Allocates host memory: blocks are aligned to at least 64 bytes and counted in multiples of 64; large ones request
/// huge pages.
class HostAllocator final : public Allocator {
 public:
  static constexpr std::size_t minimum_alignment = 64;
  /// Blocks from this size on are placed on huge pages where the machine has them.
  static constexpr std::size_t huge_page_threshold = std::size_t{4} << 20;

  /// `device_name` and `name` are used in messages; `limit` in bytes, empty for none.
  HostAllocator(std::string device_name, std::string name, std::optional<std::size_t> limit = {});

  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;
  AllocatorStatistics statistics() const override;
  void reset_peak() override;
  const std::string& name() const override { return name_; }

 private:
  void reserve(std::size_t rounded, std::size_t bytes);

  std::string device_name_;
  std::string name_;
  std::optional<std::size_t> limit_;
  std::atomic<std::size_t> in_use_{0};
  std::atomic<std::size_t> peak_{0};
  std::atomic<std::size_t> blocks_{0};
};

}  // namespace rhyton
