#include <rhyton/framework/device/best_fit_allocator.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include <rhyton/framework/device/round_up.h>
#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

constexpr std::size_t max_bytes = std::numeric_limits<std::size_t>::max();

std::size_t round_down(std::size_t bytes, std::size_t multiple) { return bytes / multiple * multiple; }

}  // namespace

BestFitAllocator::BestFitAllocator(std::unique_ptr<RegionSource> source, std::string device_name, std::string name,
                                   const BestFitOptions& options)
    : source_(std::move(source)),
      device_name_(std::move(device_name)),
      name_(std::move(name)),
      options_(options),
      next_region_(std::max(round_up(options.first_region, granularity), granularity)) {
  if (!options.growth && !options.limit) {
    throw ValueError("An allocator that takes all its memory at once needs a limit");
  }
}

BestFitAllocator::~BestFitAllocator() {
  for (const auto& [address, size] : regions_) source_->give_back(reinterpret_cast<void*>(address), size);
}

void* BestFitAllocator::allocate(std::size_t bytes, std::size_t alignment) {
  const std::scoped_lock lock(mutex_);
  // The part before the first multiple of a coarse alignment becomes a free block.
  const std::size_t slack = alignment > granularity ? alignment - granularity : 0;
  if (bytes <= max_bytes / 2 && slack <= max_bytes / 4) {
    const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), granularity);
    std::optional<Address> address = cut(size, alignment);
    if (!address && take_region(size + slack)) address = cut(size, alignment);
    if (address) return reinterpret_cast<void*>(*address);
  }
  throw ResourceExhaustedError(out_of_memory_message(bytes, device_name_, name_, statistics_locked()));
}

std::optional<BestFitAllocator::Address> BestFitAllocator::cut(std::size_t size, std::size_t alignment) {
  for (auto candidate = free_.lower_bound({size, 0}); candidate != free_.end(); ++candidate) {
    const auto [free_size, start] = *candidate;
    const Address aligned = round_up(start, std::max<std::size_t>(alignment, 1));
    if (aligned - start > free_size - size) continue;
    auto block = blocks_.find(start);
    if (aligned > start) block = split(block, aligned - start);
    if (block->second.size > size) split(block, size);
    set_used(block);
    return aligned;
  }
  return std::nullopt;
}

bool BestFitAllocator::take_region(std::size_t size) {
  if (!options_.growth) {
    const std::size_t all = round_down(*options_.limit, granularity);
    return reserved_ == 0 && size <= all && try_region(all);
  }
  const auto fits = [&](std::size_t wanted) {
    return !options_.limit || (reserved_ <= *options_.limit && wanted <= *options_.limit - reserved_);
  };
  const auto try_sizes = [&] {
    if (next_region_ >= size && fits(next_region_) && try_region(next_region_)) {
      if (next_region_ < max_bytes / 4) next_region_ *= 2;
      return true;
    }
    return fits(size) && try_region(size);
  };
  if (try_sizes()) return true;
  // Small unused regions may take memory that a large one needs.
  release_unused_locked();
  return try_sizes();
}

bool BestFitAllocator::try_region(std::size_t size) {
  void* const region = source_->take(size);
  if (region == nullptr) return false;
  const auto address = reinterpret_cast<Address>(region);
  try {
    regions_.emplace(address, size);
    blocks_.emplace(address, Block{.size = size, .region = address});
    free_.insert({size, address});
  } catch (...) {
    forget_region(address);
    source_->give_back(region, size);
    throw;
  }
  reserved_ += size;
  return true;
}

void BestFitAllocator::forget_region(Address address) noexcept {
  if (const auto block = blocks_.find(address); block != blocks_.end()) {
    free_.erase({block->second.size, address});
    blocks_.erase(block);
  }
  regions_.erase(address);
}

BestFitAllocator::Blocks::iterator BestFitAllocator::split(Blocks::iterator block, std::size_t size) {
  const Address start = block->first;
  const std::size_t whole = block->second.size;
  const auto rest = blocks_.emplace(start + size, Block{.size = whole - size, .region = block->second.region}).first;
  try {
    free_.insert({whole - size, start + size});
  } catch (...) {
    blocks_.erase(rest);
    throw;
  }
  FreeBlocks::node_type entry = free_.extract({whole, start});
  entry.value().first = size;
  free_.insert(std::move(entry));
  block->second.size = size;
  return rest;
}

void BestFitAllocator::set_used(Blocks::iterator block) noexcept {
  block->second.entry = free_.extract({block->second.size, block->first});
  in_use_ += block->second.size;
  peak_ = std::max(peak_, in_use_);
  ++used_blocks_;
}

void BestFitAllocator::set_free(Blocks::iterator block) noexcept {
  in_use_ -= block->second.size;
  --used_blocks_;
  FreeBlocks::node_type entry = std::move(block->second.entry);
  const auto joins = [&](const Blocks::iterator& other) {
    return other->second.is_free() && other->second.region == block->second.region;
  };
  if (const auto next = std::next(block); next != blocks_.end() && joins(next)) {
    free_.erase({next->second.size, next->first});
    block->second.size += next->second.size;
    blocks_.erase(next);
  }
  if (block != blocks_.begin()) {
    if (const auto before = std::prev(block); joins(before)) {
      free_.erase({before->second.size, before->first});
      before->second.size += block->second.size;
      blocks_.erase(block);
      block = before;
    }
  }
  entry.value() = {block->second.size, block->first};
  free_.insert(std::move(entry));
}

void BestFitAllocator::deallocate(void* block, std::size_t) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<Address>(block));
  if (found != blocks_.end() && !found->second.is_free()) set_free(found);
}

void BestFitAllocator::release_unused() noexcept {
  const std::scoped_lock lock(mutex_);
  release_unused_locked();
}

void BestFitAllocator::release_unused_locked() noexcept {
  for (auto region = regions_.begin(); region != regions_.end();) {
    const auto [address, size] = *region++;
    const auto block = blocks_.find(address);
    if (!block->second.is_free() || block->second.size != size) continue;
    forget_region(address);
    reserved_ -= size;
    source_->give_back(reinterpret_cast<void*>(address), size);
  }
}

AllocatorStatistics BestFitAllocator::statistics() const {
  const std::scoped_lock lock(mutex_);
  return statistics_locked();
}

AllocatorStatistics BestFitAllocator::statistics_locked() const {
  return {.in_use = in_use_,
          .peak = peak_,
          .limit = options_.limit,
          .blocks = used_blocks_,
          .reserved = reserved_,
          .largest_free = free_.empty() ? 0 : free_.rbegin()->first};
}

void BestFitAllocator::reset_peak() {
  const std::scoped_lock lock(mutex_);
  peak_ = in_use_;
}

}  // namespace rhyton
