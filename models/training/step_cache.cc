#include <rhyton/models/training/step_cache.h>

#include <algorithm>
#include <utility>

#include <rhyton/framework/error.h>

namespace rhyton::training {

std::string name_of(StepKind kind) {
  switch (kind) {
    case StepKind::train:
      return "train_function";
    case StepKind::test:
      return "test_function";
    case StepKind::predict:
      return "predict_function";
  }
  throw ValueError("No such kind of step.");
}

graph::Executable& StepCache::get(const StepSignature& signature, const graph::Function& function,
                                  const std::vector<graph::InputSpec>& inputs, LogicalDevice& device) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.signature == signature; });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().executable;
  }
  graph::Executable executable(graph::trace(inputs, function), {.name = name_of(signature.kind), .device = &device});
  entries_.push_front({signature, std::move(executable)});
  if (entries_.size() > capacity) entries_.pop_back();
  return entries_.front().executable;
}

std::vector<CompiledStep> StepCache::steps() const {
  std::vector<CompiledStep> steps;
  for (const Entry& entry : entries_) {
    steps.push_back({entry.signature.kind, entry.executable.plan().batch, entry.executable.memory_bytes()});
  }
  return steps;
}

}  // namespace rhyton::training
