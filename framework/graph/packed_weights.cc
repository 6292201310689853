#include <rhyton/framework/graph/packed_weights.h>

#include <algorithm>

namespace rhyton::graph {
namespace {

bool is_unused(const std::shared_ptr<PackedCopy>& copy) { return copy.use_count() == 1; }

}  // namespace

void PackedWeights::note_needed(std::uint64_t version) { latest_ = std::max(latest_, version); }

std::shared_ptr<PackedCopy> PackedWeights::get(std::uint64_t version) {
  std::shared_ptr<PackedCopy> free;
  for (const std::shared_ptr<PackedCopy>& copy : copies_) {
    if (copy->is_shared && copy->version == version) return copy;
    if (free == nullptr && is_unused(copy) && is_outdated(*copy)) free = copy;
  }
  if (free == nullptr) {
    free = std::make_shared<PackedCopy>();
    free->storage = Storage::allocate(key_.bytes);
    copies_.push_back(free);
  }
  free->version = 0;
  free->is_shared = false;
  // Other unused copies are not needed: all runs of the later version share one copy.
  std::erase_if(copies_, [&](const auto& copy) { return is_unused(copy) && is_outdated(*copy); });
  return free;
}

std::shared_ptr<PackedCopy> PackedWeights::share(std::shared_ptr<PackedCopy> copy) {
  const auto other = std::find_if(copies_.begin(), copies_.end(), [&](const auto& candidate) {
    return candidate->is_shared && candidate->version == copy->version;
  });
  if (other == copies_.end()) {
    copy->is_shared = true;
    return copy;
  }
  std::shared_ptr<PackedCopy> shared = *other;  // Erasing moves elements.
  std::erase(copies_, copy);
  return shared;
}

}  // namespace rhyton::graph
