#include <rhyton/models/training/idle_runners.h>

#include <functional>
#include <thread>

namespace rhyton::training {
namespace {

std::size_t number_of_this_thread() { return std::hash<std::thread::id>()(std::this_thread::get_id()); }

}  // namespace

std::unique_ptr<ReusableRunner> IdleRunners::take_idle(const LogicalDevice& device, std::uint64_t generation) {
  const std::size_t first = number_of_this_thread();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    std::atomic<ReusableRunner*>& place = places_[(first + i) % places_.size()].runner;
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    std::unique_ptr<ReusableRunner> runner(place.exchange(nullptr, std::memory_order_acq_rel));
    if (runner != nullptr && runner->device == &device && runner->generation == generation) return runner;
  }
  return nullptr;
}

void IdleRunners::give_back(std::unique_ptr<ReusableRunner> runner) {
  const std::uint64_t generation = runner->generation;
  if (!runner->may_be_kept || generation != generation_.load()) return;
  const std::size_t first = number_of_this_thread();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    std::atomic<ReusableRunner*>& place = places_[(first + i) % places_.size()].runner;
    ReusableRunner* free = nullptr;
    if (place.load(std::memory_order_relaxed) == nullptr && place.compare_exchange_strong(free, runner.get())) {
      static_cast<void>(runner.release());
      // `discard` may have passed this place meanwhile.
      if (generation != generation_.load()) {
        const std::unique_ptr<ReusableRunner> outdated(place.exchange(nullptr));
      }
      return;
    }
  }
}

void IdleRunners::discard() {
  generation_.fetch_add(1);
  for (Place& place : places_) {
    const std::unique_ptr<ReusableRunner> runner(place.runner.exchange(nullptr));
  }
}

}  // namespace rhyton::training
