#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <rhyton/framework/distribute/device_session.h>
#include <rhyton/framework/tensor/storage.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::distribute {

/// The memory of a client in a task. Regions may come from anyone. One thread at a time.
class SessionMemory {
 public:
  explicit SessionMemory(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Throw ValueError for a region that is not within its block, NotFoundError where a block was never written to, and
  /// ResourceExhaustedError where all blocks together would exceed the limit.
  void write(const MemoryRegion& target, std::span<const std::byte> bytes);
  void read(const MemoryRegion& source, std::span<std::byte> bytes) const;
  void copy(const MemoryRegion& target, const MemoryRegion& source, std::uint64_t bytes);

  /// The tensor at that place, which shares its memory. Also throws ValueError for elements of a bool tensor that are
  /// neither true nor false.
  Tensor tensor(const MemoryRegion& region, const TensorSpec& spec) const;
  /// Puts a tensor there.
  void store(const MemoryRegion& region, const Tensor& tensor);

  /// Takes the whole block out: its only owner is the result. Throws also ValueError for a part of a block.
  Tensor take(const MemoryRegion& region, const TensorSpec& spec);
  /// Puts it back.
  void put_back(const MemoryRegion& region, const Tensor& tensor);

  void release(const std::vector<std::uint64_t>& blocks);
  std::size_t bytes() const { return bytes_; }

 private:
  struct Block {
    std::shared_ptr<Storage> storage;
    std::uint64_t bytes = 0;
  };

  const Block& find(const MemoryRegion& region, std::uint64_t bytes) const;
  /// The bytes of the region, which may be written.
  std::byte* writable(const MemoryRegion& region, std::uint64_t bytes);
  Block& make(const MemoryRegion& region);

  const std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::map<std::uint64_t, Block> blocks_;
};

}  // namespace rhyton::distribute
