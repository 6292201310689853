#include <rhyton/framework/graph/executor.h>

#include <mutex>
#include <utility>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/device_assignment.h>
#include <rhyton/framework/graph/graph_device.h>
#include <rhyton/framework/graph/host_executor.h>
#include <rhyton/framework/graph/passes/constant_folding.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/placed_executor.h>
#include <rhyton/framework/graph/program.h>
#include <rhyton/framework/graph/stream_executor.h>
#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton::graph {
namespace {

/// The executor of a graph whose nodes name other devices than `device`. Null where that leaves one device, which
/// `device` is then.
std::unique_ptr<Executor> make_placed_executor(const Graph& source, const ExecutableOptions& options,
                                               LogicalDevice*& device) {
  Graph graph = remove_dead_nodes(source);
  // Constants would follow no other node and become parts of their own.
  if (options.passes.runs("fold_constants")) graph = remove_dead_nodes(fold_constants(graph));
  const DeviceAssignment devices = [&] {
    // The devices of variables are looked up. Not locked while parts are made, which may be in other tasks.
    const std::unique_lock between_steps(step_mutex());
    return assign_devices(graph, *device);
  }();
  if (LogicalDevice* const only = devices.only_device()) {
    device = only;
    return nullptr;
  }
  return std::make_unique<PlacedExecutor>(std::move(graph), devices, options, *device);
}

/// Whether variables of the graph are in another task than the device.
bool reads_other_tasks(const Graph& graph, const LogicalDevice& device) {
  if (device_runtime().remote_devices().empty()) return false;
  const std::unique_lock between_steps(step_mutex());
  return has_distant_variables(graph, device);
}

}  // namespace

RunFrame& Executor::lease() { throw RuntimeError("Only executables on the host have frames to lease."); }

void Executor::give_back(RunFrame&) { throw RuntimeError("Only executables on the host have frames to give back."); }

std::unique_ptr<Executor> make_executor(const Graph& graph, const ExecutableOptions& options) {
  LogicalDevice* device = options.device != nullptr ? options.device : &current_device();
  if (names_other_devices(graph, *device) || reads_other_tasks(graph, *device)) {
    if (std::unique_ptr<Executor> placed = make_placed_executor(graph, options, device)) return placed;
  }
  if (auto* const other = dynamic_cast<GraphDevice*>(device)) return other->make_executor(graph, options);
  Program program = compile(graph, options, *device);
  if (device->is_host()) return std::make_unique<HostExecutor>(std::move(program), options.frame_pool);
  return std::make_unique<StreamExecutor>(std::move(program));
}

}  // namespace rhyton::graph
