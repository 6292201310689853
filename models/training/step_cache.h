#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>

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

  friend bool operator==(const StepSignature&, const StepSignature&) = default;
};

/// The compiled steps of a model, the latest used ones.
class StepCache {
 public:
  /// The step of that signature, traced from `function` where there is none, for arguments of these specs. The
  /// reference holds until the next call.
  graph::Executable& get(const StepSignature& signature, const graph::Function& function,
                         const std::vector<graph::InputSpec>& inputs, LogicalDevice& device);
  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }
  /// The latest used one first.
  std::vector<CompiledStep> steps() const;

  /// More would cost memory without use: an epoch needs two, for whole batches and for the last one.
  static constexpr std::size_t capacity = 12;

 private:
  struct Entry {
    StepSignature signature;
    graph::Executable executable;
  };
  // The latest used one first.
  std::list<Entry> entries_;
};

}  // namespace rhyton::training
