#include <rhyton/framework/graph/frame_memory.h>

#include <algorithm>

#include <rhyton/framework/device/device_runtime.h>

namespace rhyton::graph {

void FrameMemory::reserve(std::shared_ptr<Storage>& storage, std::size_t bytes, LogicalDevice& device) {
  const std::size_t before = storage == nullptr ? 0 : storage->bytes();
  if (storage != nullptr && before >= bytes && &storage->device() == &device) return;
  // First the old block goes, so that both never exist at once.
  storage.reset();
  bytes_.fetch_sub(before, std::memory_order_relaxed);
  storage = Storage::allocate(std::max<std::size_t>(bytes, 1), device);
  bytes_.fetch_add(storage->bytes(), std::memory_order_relaxed);
}

void FrameMemory::reserve_outputs(std::size_t bytes, LogicalDevice& device) { reserve(outputs_, bytes, device); }

void FrameMemory::reserve_shared(std::size_t bytes) { reserve(shared_, bytes, device_runtime().host()); }

void FrameMemory::reserve_worker(std::size_t number, std::size_t bytes) {
  if (workers_.size() <= number) workers_.resize(number + 1);
  reserve(workers_[number], bytes, device_runtime().host());
}

}  // namespace rhyton::graph
