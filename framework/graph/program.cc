#include <rhyton/framework/graph/program.h>

#include <cstdio>
#include <string_view>
#include <utility>

#include <rhyton/framework/environment.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {

bool logs_plans() { return environment("RHYTON_LOG").find("plan") != std::string_view::npos; }

Program compile(const Graph& graph, const ExecutableOptions& options, LogicalDevice& device) {
  Program program{.graph = device.is_host() ? optimize(graph, options.passes)
                                            : optimize_for(graph, kernels_for(device.type()), options.passes),
                  .plan = {},
                  .device = &device,
                  .name = options.name,
                  .is_checked = options.plan.check || is_switched_on("RHYTON_CHECK_PLAN")};
  PlanOptions plan_options = options.plan;
  plan_options.device = &device;
  plan_options.check = program.is_checked;
  program.plan = make_plan(program.graph, plan_options);
  if (logs_plans()) std::fprintf(stderr, "%s\n", program.plan.to_string().c_str());
  return program;
}

}  // namespace rhyton::graph
