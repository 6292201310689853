#include <rhyton/framework/tensor/kept_values.h>

#include <atomic>
#include <utility>
#include <vector>

#include <rhyton/framework/context.h>

namespace rhyton {

/// The objects that have kept values since the last call of `release_all`. Its mutex is locked before theirs.
struct KeptValues::Registry {
  std::mutex mutex;
  std::vector<KeptValues*> places;
  /// Lets threads that write variables skip the lock while nothing is kept.
  std::atomic<bool> has_places{false};
};

KeptValues::Registry& KeptValues::registry() {
  static Registry& registry = context().slot<Registry>();
  return registry;
}

KeptValues::~KeptValues() {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  std::erase(all.places, this);
}

void KeptValues::keep(std::shared_ptr<const void> values) {
  {
    const std::scoped_lock lock(mutex_);
    values_.swap(values);
    if (is_registered_) return;
  }
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex, mutex_);
  all.places.push_back(this);
  is_registered_ = true;
  all.has_places.store(true);
}

std::shared_ptr<const void> KeptValues::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(values_, nullptr);
}

void KeptValues::release_all() {
  Registry& all = registry();
  if (!all.has_places.load()) return;
  // Destroyed after unlocking, since this may release much memory.
  std::vector<std::shared_ptr<const void>> released;
  const std::scoped_lock lock(all.mutex);
  released.reserve(all.places.size());
  for (KeptValues* const place : all.places) {
    const std::scoped_lock lock_of_place(place->mutex_);
    released.push_back(std::exchange(place->values_, nullptr));
    place->is_registered_ = false;
  }
  all.places.clear();
  all.has_places.store(false);
}

}  // namespace rhyton
