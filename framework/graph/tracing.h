#pragma once

#include <functional>
#include <vector>

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Code that calls ops on the tensors it is given and returns tensors.
using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Runs `function` once on tensors without elements and writes down every op it calls and every variable it reads or
/// assigns, with the device of the DeviceScope that `function` called it in, if any; scopes around the trace do not
/// count. Control flow in C++ is frozen as it went.
Graph trace(const std::vector<InputSpec>& inputs, const Function& function);

}  // namespace rhyton::graph
