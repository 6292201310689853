#include <rhyton/framework/graph/plan.h>

#include <fmt/format.h>

#include <rhyton/framework/graph/cost.h>
#include <rhyton/framework/profiler/quantity.h>

namespace rhyton::graph {
namespace {

/// Operations and bytes of several parts of a plan together.
struct Sum {
  double flops = 0;
  double bytes = 0;

  void add(const Cost& cost) {
    flops += cost.flops;
    bytes += cost.bytes();
  }
  std::string to_string() const { return profiler::quantity(flops, "FLOP") + ", " + profiler::quantity(bytes, "B"); }
};

std::string describe(const PlannedCall& call, const Cost& cost) {
  std::string text = fmt::format("  {}({})", call.op->name(), call.op->attributes());
  for (std::size_t i = 0; i < call.specs.size(); ++i) {
    text += fmt::format("{} [{}+{}]{}", i == call.input_count ? " ->" : "", call.operands[i].slot,
                        call.operands[i].offset, call.specs[i].shape.to_string());
  }
  Sum sum;
  sum.add(cost);
  return text + (call.sums ? " summed over slices" : "") + "; " + sum.to_string() + "\n";
}

}  // namespace

std::string Plan::to_string() const {
  std::string text = fmt::format("batch {} in {} slices of {}, {} at a time; shared arena {} bytes, {} per worker\n",
                                 batch, slices, slice_size, chunk, shared_bytes, worker_bytes);
  Sum step;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const PlannedPhase& phase = phases[p];
    Sum sum;
    for (const PlannedCall& call : phase.calls) {
      sum.add(cost_of(*this, phase, call));
      if (call.packs) sum.add(cost_of_packing(call));
    }
    for (const Reduction& reduction : phase.reductions) sum.add(cost_of(*this, reduction));
    step.flops += sum.flops;
    step.bytes += sum.bytes;
    text += fmt::format("phase {}: {}{}; {}\n", p, phase.sliced ? "sliced" : "whole",
                        phase.parallel ? "" : ", one thread", sum.to_string());
    if (phase.sliced) {
      for (const PlannedCall& call : phase.calls) text += describe(call, cost_of(*this, phase, call));
    }
    for (std::size_t w = 0; w < phase.waves.size(); ++w) {
      text += fmt::format(" wave {}\n", w);
      for (const std::size_t call : phase.waves[w]) {
        text += describe(phase.calls[call], cost_of(*this, phase, phase.calls[call]));
      }
    }
  }
  for (const std::vector<Copy>* list : {&staging, &copies}) {
    for (const Copy& copy : *list) step.add(cost_of(copy));
  }
  return text + "step: " + step.to_string() + "\n";
}

}  // namespace rhyton::graph
