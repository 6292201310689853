#pragma once

#include <functional>
#include <vector>

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Code that calls ops on its arguments and returns tensors.
using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Runs `function` once on tensors without elements and records every op it calls and every variable it reads or
/// assigns, with the device of the DeviceScope that `function` called it in, if any; scopes around the trace are
/// ignored. Control flow in C++ is fixed by this run.
Graph trace(const std::vector<FunctionInput>& inputs, const Function& function);

}  // namespace rhyton::graph
