#include <rhyton/layers/losses_of_calls.h>

#include <rhyton/layers/layer.h>

namespace rhyton::layers {

void LossesOfCalls::add(const LayerImpl& layer, const Tensor& loss) {
  auto entry = entries_.find(&layer);
  if (entry == entries_.end() || entry->second.layer.expired()) {
    // An expired weak pointer keeps the memory of its layer allocated.
    std::erase_if(entries_, [](const auto& other) { return other.second.layer.expired(); });
    entry = entries_.emplace(&layer, Entry{layer.weak_from_this(), {}}).first;
  }
  entry->second.losses.push_back(loss);
}

std::vector<Tensor> LossesOfCalls::of(const LayerImpl& layer) const {
  const auto entry = entries_.find(&layer);
  if (entry == entries_.end() || entry->second.layer.expired()) return {};
  return entry->second.losses;
}

void LossesOfCalls::clear(const LayerImpl& layer) { entries_.erase(&layer); }

LossesOfCalls& losses_of_calls() {
  thread_local LossesOfCalls losses;
  return losses;
}

}  // namespace rhyton::layers
