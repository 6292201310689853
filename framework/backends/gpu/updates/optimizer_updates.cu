#include <rhyton/framework/ops/optimizer_updates.h>

#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/updates/grouped_updates.h>
#include <rhyton/framework/backends/gpu/updates/lamb_direction.h>
#include <rhyton/framework/backends/updates/update_rules.h>

namespace rhyton::gpu {
namespace {

void run_update(const KernelArguments& arguments) {
  run_grouped_updates(stream_of(arguments), std::span<const KernelArguments>(&arguments, 1));
}

/// Adjacent calls that can share a launch do.
void run_updates(std::span<const KernelArguments> updates) {
  std::size_t first = 0;
  for (std::size_t next = 1; next <= updates.size(); ++next) {
    if (next < updates.size() && can_share_launch(updates[first], updates[next])) continue;
    run_grouped_updates(stream_of(updates[first]), updates.subspan(first, next - first));
    first = next;
  }
}

void add_update(KernelTable& table, const char* name) {
  for (const DType dtype : {float32, float64, float16, bfloat16})
    table.add(name, dtype, {.run = &run_update, .run_together = &run_updates});
}

template <class... Rule>
void add_rules(KernelTable& table, updates::Rules<Rule...> /*list*/) {
  (add_update(table, Rule::UpdateOp::op_name), ...);
}

}  // namespace

void register_optimizer_update_kernels(KernelTable& table) {
  for (const char* const name : {"SgdUpdate", "SgdMomentumUpdate", "AdamUpdate", "RMSpropUpdate"}) {
    add_update(table, name);
  }
  add_rules(table, updates::AllRules<float>());
  register_lamb_direction_kernels(table);
}

}  // namespace rhyton::gpu
