#include <rhyton/framework/distribute/session_memory.h>

#include <algorithm>
#include <cstring>
#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

/// What a block costs besides its bytes.
constexpr std::size_t cost_of_block = 256;

void require_within(const MemoryRegion& region, std::uint64_t bytes) {
  if (region.offset <= region.block_bytes && bytes <= region.block_bytes - region.offset) return;
  throw ValueError("A region of " + std::to_string(bytes) + " bytes at " + std::to_string(region.offset) +
                   " is not within its block of " + std::to_string(region.block_bytes) + " bytes.");
}

}  // namespace

const SessionMemory::Block& SessionMemory::find(const MemoryRegion& region, std::uint64_t bytes) const {
  require_within(region, bytes);
  const auto found = blocks_.find(region.block);
  if (found == blocks_.end() || found->second.storage == nullptr) {
    throw NotFoundError("Block " + std::to_string(region.block) +
                        " of the task's memory has no content: nothing was written to it, or the task was started "
                        "again since.");
  }
  if (found->second.bytes != region.block_bytes) {
    throw ValueError("Block " + std::to_string(region.block) + " has " + std::to_string(found->second.bytes) +
                     " bytes, not " + std::to_string(region.block_bytes) + ".");
  }
  return found->second;
}

SessionMemory::Block& SessionMemory::make(const MemoryRegion& region) {
  const auto found = blocks_.find(region.block);
  if (found != blocks_.end()) {
    find(region, 0);
    return found->second;
  }
  const std::size_t left = max_bytes_ - bytes_;
  if (left < cost_of_block || region.block_bytes > left - cost_of_block) {
    throw ResourceExhaustedError("A block of " + std::to_string(region.block_bytes) +
                                 " bytes is more than the limit of a client's memory in this task leaves (" +
                                 std::to_string(left) + " bytes).");
  }
  bytes_ += region.block_bytes + cost_of_block;
  return blocks_.emplace(region.block, Block{.storage = nullptr, .bytes = region.block_bytes}).first->second;
}

std::byte* SessionMemory::writable(const MemoryRegion& region, std::uint64_t bytes) {
  require_within(region, bytes);
  Block& block = make(region);
  // Of another owner, such as a constant of a graph: it keeps its value.
  if (block.storage == nullptr || block.storage.use_count() > 1) {
    std::shared_ptr<Storage> fresh = Storage::allocate(block.bytes);
    if (bytes == block.bytes) {
      // All of it is written.
    } else if (block.storage != nullptr) {
      std::memcpy(fresh->data(), block.storage->data(), block.bytes);
    } else {
      std::memset(fresh->data(), 0, block.bytes);
    }
    block.storage = std::move(fresh);
  }
  return static_cast<std::byte*>(block.storage->data()) + region.offset;
}

void SessionMemory::write(const MemoryRegion& target, std::span<const std::byte> bytes) {
  std::byte* const to = writable(target, bytes.size());
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
}

void SessionMemory::read(const MemoryRegion& source, std::span<std::byte> bytes) const {
  const Block& block = find(source, bytes.size());
  if (bytes.empty()) return;
  std::memcpy(bytes.data(), static_cast<const std::byte*>(block.storage->host_data()) + source.offset, bytes.size());
}

void SessionMemory::copy(const MemoryRegion& target, const MemoryRegion& source, std::uint64_t bytes) {
  // Kept alive and unchanged where target and source are in one block.
  const std::shared_ptr<Storage> from = find(source, bytes).storage;
  std::byte* const to = writable(target, bytes);
  std::memmove(to, static_cast<const std::byte*>(from->data()) + source.offset, bytes);
}

Tensor SessionMemory::tensor(const MemoryRegion& region, const TensorSpec& spec) const {
  const auto elements = static_cast<std::uint64_t>(spec.shape.size());
  // Nothing is written to tensors without elements.
  if (elements == 0) return Tensor::uninitialized(spec.shape, spec.dtype);
  if (elements > region.block_bytes / size_of(spec.dtype)) require_within(region, region.block_bytes + 1);
  const Block& block = find(region, elements * size_of(spec.dtype));
  Tensor result = Tensor::from_storage(spec.shape, spec.dtype, block.storage, region.offset);
  if (spec.dtype == bool_) {
    const auto* const values = static_cast<const std::uint8_t*>(result.raw_data());
    if (std::any_of(values, values + elements, [](std::uint8_t value) { return value > 1; })) {
      throw ValueError("The elements of a bool tensor in block " + std::to_string(region.block) + " are no bools.");
    }
  }
  return result;
}

void SessionMemory::store(const MemoryRegion& region, const Tensor& tensor) {
  const std::size_t bytes = tensor.spec().bytes();
  if (bytes == 0) return;
  const bool is_whole = region.offset == 0 && region.block_bytes == bytes && tensor.byte_offset() == 0 &&
                        tensor.storage()->bytes() == bytes && tensor.storage().use_count() == 1;
  if (is_whole) {
    make(region).storage = tensor.storage();
  } else {
    write(region, {static_cast<const std::byte*>(tensor.raw_data()), bytes});
  }
}

Tensor SessionMemory::take(const MemoryRegion& region, const TensorSpec& spec) {
  if (region.offset != 0 || region.block_bytes != spec.bytes()) {
    throw ValueError("A variable of " + std::to_string(spec.bytes()) + " bytes must have a block of its own.");
  }
  Tensor result = tensor(region, spec);
  if (spec.bytes() != 0) blocks_.at(region.block).storage = nullptr;
  return result;
}

void SessionMemory::put_back(const MemoryRegion& region, const Tensor& tensor) {
  if (tensor.spec().bytes() == 0) return;
  const bool is_whole = tensor.byte_offset() == 0 && tensor.storage()->bytes() == region.block_bytes;
  blocks_.at(region.block).storage = is_whole ? tensor.storage() : tensor.clone().storage();
}

void SessionMemory::release(const std::vector<std::uint64_t>& blocks) {
  for (const std::uint64_t block : blocks) {
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) continue;
    bytes_ -= found->second.bytes + cost_of_block;
    blocks_.erase(found);
  }
}

}  // namespace rhyton::distribute
