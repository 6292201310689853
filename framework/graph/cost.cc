#include <rhyton/framework/graph/cost.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace rhyton::graph {

std::int64_t chunks_of(const Plan& plan) {
  std::int64_t chunks = 0;
  for (std::int64_t slice = 0; slice < plan.slices; ++slice) {
    const std::int64_t samples = std::min(plan.batch, (slice + 1) * plan.slice_size) - slice * plan.slice_size;
    if (samples > 0) chunks += (samples + plan.chunk - 1) / plan.chunk;
  }
  return chunks;
}

Cost cost_of(const Plan& plan, const PlannedPhase& phase, const PlannedCall& call) {
  const std::span<const TensorSpec> specs = call.specs;
  Cost cost;
  cost.flops = call.op->flops(specs.first(call.input_count), specs.subspan(call.input_count));
  for (std::size_t i = 0; i < specs.size(); ++i) {
    // If the kernel defines the pieces, the part of an operand that one accesses is unknown: on average its share.
    const bool is_shared_out = call.cut[i] || call.split_by_kernel;
    (is_shared_out ? cost.shared_out_bytes : cost.whole_bytes) += static_cast<double>(specs[i].bytes());
  }
  cost.calls = phase.sliced ? chunks_of(plan) : call.pieces;
  return cost;
}

Cost cost_of_packing(const PlannedCall& call) {
  const std::span<const TensorSpec> specs = call.specs;
  const std::span<const TensorSpec> inputs = specs.first(call.input_count);
  Cost cost;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!call.cut[i]) cost.whole_bytes += static_cast<double>(inputs[i].bytes());
  }
  cost.whole_bytes += static_cast<double>(call.kernel->packed_bytes(*call.op, inputs, specs.subspan(call.input_count)));
  return cost;
}

Cost cost_of(const Plan& plan, const Reduction& reduction) {
  const auto elements = static_cast<double>(reduction.elements);
  const auto slices = static_cast<double>(plan.slices);
  return {.flops = elements * (slices - 1),
          .shared_out_bytes = elements * static_cast<double>(size_of(reduction.dtype)) * (slices + 1),
          .calls = blocks_of(reduction)};
}

Cost cost_of(const Copy& copy) { return {.whole_bytes = 2 * static_cast<double>(copy.bytes)}; }

const PlannedCall* summed_call(const PlannedPhase& phase, const Reduction& reduction) {
  for (const PlannedCall& call : phase.calls) {
    if (!call.sums) continue;
    for (std::size_t i = call.input_count; i < call.operands.size(); ++i) {
      const Operand& output = call.operands[i];
      if (output.slot == reduction.partials.slot && output.offset == reduction.partials.offset) return &call;
    }
  }
  return nullptr;
}

}  // namespace rhyton::graph
