#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include <rhyton/framework/tensor/storage.h>

namespace rhyton::graph {

class RunFrame;

/// The memory of one run frame: outputs, the shared arena, and an arena for each worker. It grows to the maximum that
/// its users need and is not released before it is destroyed.
class FrameMemory {
 public:
  /// Make room; what was there before is lost where that is not enough.
  void reserve_outputs(std::size_t bytes, LogicalDevice& device);
  void reserve_shared(std::size_t bytes);
  void reserve_worker(std::size_t number, std::size_t bytes);

  const std::shared_ptr<Storage>& outputs() const { return outputs_; }
  std::byte* shared() const { return static_cast<std::byte*>(shared_->data()); }
  std::byte* worker(std::size_t number) const { return static_cast<std::byte*>(workers_[number]->data()); }
  /// The bytes of all of it. May be called by any thread.
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  /// The frame whose outputs are in it; null for none. Guarded by the mutex of the pool.
  RunFrame* user = nullptr;

 private:
  void reserve(std::shared_ptr<Storage>& storage, std::size_t bytes, LogicalDevice& device);

  std::shared_ptr<Storage> outputs_;
  std::shared_ptr<Storage> shared_;
  std::vector<std::shared_ptr<Storage>> workers_;
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace rhyton::graph
