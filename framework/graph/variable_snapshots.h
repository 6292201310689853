#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::graph {

/// The values that the variables of a plan had at one time. Runs that began at that time share one, since threads that
/// count the handles of the same tensors slow each other down.
struct VariableSnapshot {
  std::vector<Tensor> values;
  /// Per variable; null where the plan assigns it.
  std::vector<void*> addresses;
  std::vector<std::uint64_t> versions;
};

/// Takes snapshots of the variables of one plan.
class VariableSnapshots {
 public:
  /// `plan` must outlive it.
  explicit VariableSnapshots(const Plan& plan) : plan_(plan) {}

  /// The current values: the snapshot that a run holds, if it is current, else a new one. The caller holds
  /// `step_mutex()` alone.
  std::shared_ptr<const VariableSnapshot> take();
  /// Whether the variables have these versions now. Needs no lock: equal versions mean that at the time of the call no
  /// step had begun to write.
  bool are_current(const std::vector<std::uint64_t>& versions) const;

 private:
  const Plan& plan_;
  std::weak_ptr<const VariableSnapshot> latest_;
};

}  // namespace rhyton::graph
