#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <rhyton/framework/device/allocator.h>
#include <rhyton/framework/device/region_source.h>

namespace rhyton {

/// How a BestFitAllocator takes regions.
struct BestFitOptions {
  /// The maximum total bytes of all regions, in use or not; empty for no limit but the source's own.
  std::optional<std::size_t> limit = std::nullopt;
  /// True: regions are taken as they are needed, and kept. False: one region of the whole limit, with the first block.
  bool growth = true;
  /// The size of the first region; each further one is twice as large as the previous one.
  std::size_t first_region = std::size_t{2} << 20;
};

/// Allocates from a few large regions, because single allocations by a driver are slow: a block is cut from the
/// smallest free block that holds it, and is merged with its free neighbours when it is released. Sizes are multiples
/// of 256 bytes. After TensorFlow's BFC allocator ("best fit with coalescing").
class BestFitAllocator final : public Allocator {
 public:
  static constexpr std::size_t granularity = 256;

  /// `device_name` and `name` are used in messages.
  BestFitAllocator(std::unique_ptr<RegionSource> source, std::string device_name, std::string name,
                   const BestFitOptions& options = {});
  /// Returns all regions to the source.
  ~BestFitAllocator() override;

  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;
  AllocatorStatistics statistics() const override;
  void reset_peak() override;
  const std::string& name() const override { return name_; }

  /// Returns the regions without blocks in use to the source.
  void release_unused() noexcept;

 private:
  using Address = std::uintptr_t;
  /// By size, then by address.
  using FreeBlocks = std::set<std::pair<std::size_t, Address>>;
  struct Block {
    std::size_t size = 0;
    /// The address of the region that contains it: only blocks of one region are merged.
    Address region = 0;
    /// The node of a used block in the set of free blocks, kept so that releasing the block needs no memory.
    FreeBlocks::node_type entry = {};

    bool is_free() const { return entry.empty(); }
  };
  using Blocks = std::map<Address, Block>;

  std::optional<Address> cut(std::size_t size, std::size_t alignment);
  bool take_region(std::size_t size);
  bool try_region(std::size_t size);
  void forget_region(Address address) noexcept;
  void release_unused_locked() noexcept;
  void set_free(Blocks::iterator block) noexcept;
  void set_used(Blocks::iterator block) noexcept;
  /// Splits a block in two; the second begins `size` bytes later.
  Blocks::iterator split(Blocks::iterator block, std::size_t size);
  AllocatorStatistics statistics_locked() const;

  std::unique_ptr<RegionSource> source_;
  std::string device_name_;
  std::string name_;
  BestFitOptions options_;

  mutable std::mutex mutex_;
  /// Free and used blocks; those of one region without gaps.
  Blocks blocks_;
  FreeBlocks free_;
  std::map<Address, std::size_t> regions_;
  std::size_t next_region_;
  std::size_t reserved_ = 0;
  std::size_t in_use_ = 0;
  std::size_t peak_ = 0;
  std::size_t used_blocks_ = 0;
};

}  // namespace rhyton
