#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/models/training/step_runner.h>

namespace rhyton::training {

/// A step runner that calls use one after the other.
struct ReusableRunner {
  /// What the runner refers to.
  std::shared_ptr<const void> owner = nullptr;
  std::unique_ptr<StepRunner> runner = nullptr;
  /// Whether another call may use it: runners on GPUs and on replicas hold arrays of their call.
  bool may_be_kept = true;
  /// The device where ops run when it was requested.
  const LogicalDevice* device = nullptr;
  /// How often runners had been discarded when it was requested.
  std::uint64_t generation = 0;
};

/// Step runners, each with its step and a run frame, between two calls. A thread gets the runner that it returned last,
/// so that threads which predict with one model do not write to common memory. There are as many runners as calls were
/// ever under way at once.
///
/// May be used by several threads at once.
class IdleRunners {
 public:
  IdleRunners() = default;
  ~IdleRunners() { discard(); }
  IdleRunners(const IdleRunners&) = delete;
  IdleRunners& operator=(const IdleRunners&) = delete;

  /// An idle runner that was requested with that device, else the result of `make()`: a ReusableRunner with owner and
  /// runner.
  template <class Make>
  std::unique_ptr<ReusableRunner> take(const LogicalDevice& device, const Make& make) {
    const std::uint64_t current = generation_.load(std::memory_order_acquire);
    if (std::unique_ptr<ReusableRunner> idle = take_idle(device, current)) return idle;
    auto runner = std::make_unique<ReusableRunner>(make());
    runner->device = &device;
    runner->generation = current;
    return runner;
  }
  /// Keeps a runner whose call has succeeded for the next call.
  void give_back(std::unique_ptr<ReusableRunner> runner);
  /// Destroys all idle runners, and those that are in use when they are returned.
  void discard();

 private:
  // On a cache line of its own.
  struct alignas(64) Place {
    std::atomic<ReusableRunner*> runner{nullptr};
  };

  std::unique_ptr<ReusableRunner> take_idle(const LogicalDevice& device, std::uint64_t generation);

  // A thread begins with the place of its hash, which is hardly ever that of another thread.
  std::array<Place, 64> places_;
  alignas(64) std::atomic<std::uint64_t> generation_{0};
};

}  // namespace rhyton::training
