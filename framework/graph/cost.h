#pragma once

#include <cstdint>

#include <rhyton/framework/graph/plan.h>

namespace rhyton::graph {

/// The cost of a part of a plan in one step, computed from shapes.
struct Cost {
  double flops = 0;
  /// Bytes of the operands of which each call of the kernel accesses its share, and of those that each accesses whole.
  double shared_out_bytes = 0;
  double whole_bytes = 0;
  /// Calls in one step.
  std::int64_t calls = 1;

  double bytes() const { return shared_out_bytes + whole_bytes * static_cast<double>(calls); }
};

Cost cost_of(const Plan& plan, const PlannedPhase& phase, const PlannedCall& call);
/// The cost of packing the weights of a call, one that has `packed`, into another layout.
Cost cost_of_packing(const PlannedCall& call);
Cost cost_of(const Plan& plan, const Reduction& reduction);
Cost cost_of(const Copy& copy);

/// The number of chunks in one step of a sliced phase.
std::int64_t chunks_of(const Plan& plan);

/// The call whose partial sums a reduction adds up; null when it is not in the phase.
const PlannedCall* summed_call(const PlannedPhase& phase, const Reduction& reduction);

/// The elements that one task of a reduction adds up.
inline constexpr std::int64_t reduction_block = 4096;

/// The number of tasks of a reduction.
inline std::int64_t blocks_of(const Reduction& reduction) {
  return (reduction.elements + reduction_block - 1) / reduction_block;
}

}  // namespace rhyton::graph
