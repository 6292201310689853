#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::training {

/// What a compiled step does.
enum class StepKind { train, test, predict };

/// As Keras calls the function of such steps: "train_function".
std::string name_of(StepKind kind);

/// A step that is there, and the bytes of the arenas it has by now.
struct CompiledStep {
  StepKind kind = StepKind::train;
  std::int64_t batch = 0;
  std::size_t arena_bytes = 0;
};

/// What decides whether a compiled step fits: everything else that it depends on empties the cache when it changes.
struct StepSignature {
  StepKind kind = StepKind::train;
  /// How many of the arrays are y and sample weights; the rest are x.
  std::size_t targets = 0;
  std::size_t weights = 0;
  std::vector<TensorSpec> arrays;
  /// Where it runs.
  const LogicalDevice* device = nullptr;
  /// Where the arrays are whole and the step picks its batch: the samples of that; else 0.
  std::int64_t samples = 0;

  /// The samples of a batch.
  std::int64_t batch() const { return samples > 0 ? samples : arrays.front().shape[0]; }

  friend bool operator==(const StepSignature&, const StepSignature&) = default;
};

/// The compiled steps of a model, the latest used ones: `Step` is what a step is compiled to.
template <class Step>
class StepCache {
 public:
  /// The step of that signature, made by `make` where there is none. The reference holds until the next call.
  template <class Make>
  Step& get(const StepSignature& signature, const Make& make) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.signature == signature; });
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);
      return entries_.front().step;
    }
    entries_.push_front({signature, make()});
    if (entries_.size() > capacity) entries_.pop_back();
    return entries_.front().step;
  }
  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }
  /// The latest used one first.
  std::vector<CompiledStep> steps() const {
    std::vector<CompiledStep> steps;
    for (const Entry& entry : entries_) {
      steps.push_back({entry.signature.kind, entry.signature.batch(), entry.step.memory_bytes()});
    }
    return steps;
  }

  /// More would cost memory without use: an epoch needs two, for whole batches and for the last one.
  static constexpr std::size_t capacity = 12;

 private:
  struct Entry {
    StepSignature signature;
    Step step;
  };
  // The latest used one first.
  std::list<Entry> entries_;
};

}  // namespace rhyton::training
