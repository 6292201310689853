#include <rhyton/framework/graph/tracing.h>

#include <mutex>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/graph/tracer.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton::graph {

Graph trace(const std::vector<FunctionInput>& inputs, const Function& function) {
  // Traced code may build layers, and records its losses in them.
  const std::scoped_lock lock(making_mutex());
  const WithoutStepMutex without_mutex;
  Tracer tracer;
  const ListenerScope scope(tracer);
  const DeviceScopeRoot root;
  std::vector<Tensor> arguments;
  arguments.reserve(inputs.size());
  for (const FunctionInput& input : inputs) arguments.push_back(tracer.input(input));
  return tracer.finish(function(arguments));
}

}  // namespace rhyton::graph
