#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/graph/frame_pool.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/training/batch_parts.h>

namespace rhyton::training {

/// What a compiled step does.
enum class StepKind { train, test, predict };

/// As Keras calls the function of such steps: "train_function".
std::string name_of(StepKind kind);

/// A compiled step, and the bytes of the memory that its runs need. Steps of one cache share this memory.
struct CompiledStep {
  StepKind kind = StepKind::train;
  std::int64_t batch = 0;
  std::size_t arena_bytes = 0;
};

/// What decides whether a compiled step fits: everything else that it depends on empties the cache when it changes.
struct StepSignature {
  StepKind kind = StepKind::train;
  BatchParts<TensorSpec> arrays = {};
  /// Where it runs.
  const LogicalDevice* device = nullptr;
  /// Where the arrays are whole and the step picks its batch: the samples of that; else 0.
  std::int64_t samples = 0;

  /// The samples of a batch.
  std::int64_t batch() const { return samples > 0 ? samples : arrays.x.front().shape[0]; }

  friend bool operator==(const StepSignature&, const StepSignature&) = default;
};

/// The compiled steps of a model, the ones that were used last: `Step` is what a step is compiled to. Several threads
/// may use it at once.
template <class Step>
class StepCache {
 public:
  /// The step of that signature, made by `make` if there is none; other threads that request the same one wait
  /// meanwhile. It is not evicted while the caller holds it.
  template <class Make>
  std::shared_ptr<Step> get(const StepSignature& signature, const Make& make) {
    std::shared_ptr<Slot> slot = slot_of(signature);
    if (!slot->is_made.load(std::memory_order_acquire)) {
      const std::scoped_lock lock(slot->making);
      if (!slot->step) slot->step.emplace(make());
      slot->is_made.store(true, std::memory_order_release);
    }
    // A share of the slot, so that its count tells whether the step is in use.
    Step* const step = &*slot->step;
    return std::shared_ptr<Step>(std::move(slot), step);
  }
  void clear() {
    const std::scoped_lock lock(mutex_);
    entries_.clear();
  }
  std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return entries_.size();
  }
  /// The one that was used last is first; without those that are being made.
  std::vector<CompiledStep> steps() const {
    const std::scoped_lock lock(mutex_);
    std::vector<CompiledStep> steps;
    for (const Entry& entry : entries_) {
      if (!entry.slot->is_made.load(std::memory_order_acquire)) continue;
      steps.push_back({entry.signature.kind, entry.signature.batch(), entry.slot->step->memory_bytes()});
    }
    return steps;
  }

  /// From which the steps on the host take the memory of their run frames, one for each replica of this process.
  std::vector<std::shared_ptr<graph::FramePool>> frame_pools(std::size_t count) {
    const std::scoped_lock lock(mutex_);
    while (frame_pools_.size() < count) frame_pools_.push_back(std::make_shared<graph::FramePool>());
    return {frame_pools_.begin(), frame_pools_.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  /// The bytes of that memory.
  std::size_t memory_bytes() const {
    const std::scoped_lock lock(mutex_);
    std::size_t bytes = 0;
    for (const std::shared_ptr<graph::FramePool>& pool : frame_pools_) bytes += pool->memory_bytes();
    return bytes;
  }

  /// The maximum number of steps of one kind, unless more are in use. An epoch needs two, for whole batches and for the
  /// last one.
  static constexpr std::size_t capacity = 12;

 private:
  struct Slot {
    std::mutex making;
    std::atomic<bool> is_made{false};
    std::optional<Step> step;
  };
  struct Entry {
    StepSignature signature;
    std::shared_ptr<Slot> slot;
  };

  std::shared_ptr<Slot> slot_of(const StepSignature& signature) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.signature == signature; });
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);
      return found->slot;
    }
    // Predictions of many shapes must not evict the steps that train.
    const auto is_of_kind = [&](const Entry& entry) { return entry.signature.kind == signature.kind; };
    auto count = static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), is_of_kind));
    for (auto entry = entries_.end(); count >= capacity && entry != entries_.begin();) {
      --entry;
      if (!is_of_kind(*entry) || entry->slot.use_count() > 1) continue;
      entry = entries_.erase(entry);
      --count;
    }
    entries_.push_front({signature, std::make_shared<Slot>()});
    return entries_.front().slot;
  }

  std::vector<std::shared_ptr<graph::FramePool>> frame_pools_;
  mutable std::mutex mutex_;
  // The one that was used last is first.
  std::list<Entry> entries_;
};

}  // namespace rhyton::training
