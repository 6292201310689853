#pragma once

#include <memory>

#include <rhyton/framework/graph/executable_options.h>
#include <rhyton/framework/graph/executor.h>
#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// What a LogicalDevice also is that compiles and runs whole graphs by itself: a device of another task.
class GraphDevice {
 public:
  virtual ~GraphDevice() = default;
  /// The executor of a graph whose nodes name no device and whose variables are all on this device.
  virtual std::unique_ptr<Executor> make_executor(const Graph& graph, const ExecutableOptions& options) = 0;

 protected:
  GraphDevice() = default;
};

}  // namespace rhyton::graph
