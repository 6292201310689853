#include <rhyton/framework/graph/plan.h>

#include <fmt/format.h>

namespace rhyton::graph {

std::string Plan::to_string() const {
  std::string text = fmt::format("batch {} in {} slices of {}, {} at a time; shared arena {} bytes, {} per worker\n",
                                 batch, slices, slice_size, chunk, shared_bytes, worker_bytes);
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const PlannedPhase& phase = phases[p];
    text += fmt::format("phase {}: {}{}\n", p, phase.sliced ? "sliced" : "whole", phase.parallel ? "" : ", one thread");
    const auto describe = [&](const PlannedCall& call) {
      text += fmt::format("  {}({})", call.op->name(), call.op->attributes());
      for (std::size_t i = 0; i < call.specs.size(); ++i) {
        text += fmt::format("{} [{}+{}]{}", i == call.input_count ? " ->" : "", call.operands[i].slot,
                            call.operands[i].offset, call.specs[i].shape.to_string());
      }
      text += call.sums ? " summed over slices\n" : "\n";
    };
    if (phase.sliced) {
      for (const PlannedCall& call : phase.calls) describe(call);
    }
    for (std::size_t w = 0; w < phase.waves.size(); ++w) {
      text += fmt::format(" wave {}\n", w);
      for (const std::size_t call : phase.waves[w]) describe(phase.calls[call]);
    }
  }
  return text;
}

}  // namespace rhyton::graph
