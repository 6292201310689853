#include <rhyton/models/training/step_cache.h>

#include <algorithm>

namespace rhyton::training {

graph::Executable& StepCache::get(const StepSignature& signature, const graph::Function& function) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.signature == signature; });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().executable;
  }
  std::vector<graph::InputSpec> inputs;
  for (const TensorSpec& spec : signature.arrays) inputs.push_back({spec, 0});
  entries_.push_front({signature, graph::Executable(graph::trace(inputs, function))});
  if (entries_.size() > capacity) entries_.pop_back();
  return entries_.front().executable;
}

}  // namespace rhyton::training
