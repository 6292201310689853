#include <rhyton/framework/graph/host_program.h>

#include <algorithm>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/graph/cost.h>
#include <rhyton/framework/ops/placement.h>

namespace rhyton::graph {

HostProgram::HostProgram(Program compiled) : program(std::move(compiled)) {
  for (const PlannedPhase& phase : plan().phases) {
    for (const PlannedCall& call : phase.calls) log_placement(call.op->name(), *program.device);
    is_parallel = is_parallel || (phase.sliced && phase.parallel) ||
                  std::find(phase.wave_parallel.begin(), phase.wave_parallel.end(), true) != phase.wave_parallel.end();
    std::vector<Task>& reductions = reduction_tasks.emplace_back();
    for (std::size_t r = 0; r < phase.reductions.size(); ++r) {
      for (std::int64_t b = 0; b < blocks_of(phase.reductions[r]); ++b) reductions.emplace_back(r, b);
    }
    std::vector<std::vector<Task>>& waves = wave_tasks.emplace_back();
    for (const std::vector<std::size_t>& wave : phase.waves) {
      std::vector<Task>& tasks = waves.emplace_back();
      for (const std::size_t call : wave) {
        for (std::int64_t piece = 0; piece < phase.calls[call].pieces; ++piece) tasks.emplace_back(call, piece);
      }
    }
    list_packing(phase);
  }
}

KeptPacking HostProgram::kept_packing(const PlannedCall& call) const {
  KeptPacking packing{
      .slot = call.packed->slot,
      .key = {.kernel = call.kernel, .layout = call.packed_layout, .bytes = call.packed_bytes, .variables = {}},
      .variables = {}};
  for (const Variable& variable : call.packed_from) {
    const auto place = std::find_if(plan().variables.begin(), plan().variables.end(),
                                    [&](const auto& entry) { return entry.second.is_same(variable); });
    packing.key.variables.push_back(variable.identity());
    packing.variables.push_back(static_cast<std::size_t>(place - plan().variables.begin()));
  }
  return packing;
}

void HostProgram::list_packing(const PlannedPhase& phase) {
  std::vector<int>& kept = kept_packing_of.emplace_back(phase.calls.size(), -1);
  for (std::size_t c = 0; c < phase.calls.size(); ++c) {
    if (!phase.calls[c].packs || phase.calls[c].packed_from.empty()) continue;
    kept[c] = static_cast<int>(kept_packings.size());
    kept_packings.push_back(kept_packing(phase.calls[c]));
  }
  auto& packing = packing_calls.emplace_back(std::max<std::size_t>(phase.waves.size(), 1));
  std::vector<std::size_t> wave_of(phase.calls.size(), 0);
  for (std::size_t w = 0; w < phase.waves.size(); ++w) {
    for (const std::size_t call : phase.waves[w]) wave_of[call] = w;
  }
  for (std::size_t c = 0; c < phase.calls.size(); ++c) {
    if (phase.calls[c].packs) packing[wave_of[c]].push_back(c);
  }
}

}  // namespace rhyton::graph
