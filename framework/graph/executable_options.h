#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/graph/passes/optimize.h>
#include <rhyton/framework/graph/plan.h>

namespace rhyton::graph {

class FramePool;

/// How a graph becomes an Executable.
struct ExecutableOptions {
  PassOptions passes = {};
  PlanOptions plan = {};
  /// The name in profiles.
  std::string name = "function";
  /// The device that runs it, except for nodes that name another one. Null: the device where ops run when the
  /// Executable is made.
  LogicalDevice* device = nullptr;
  /// The pool from which run frames on the host take their memory; several executables may share it. Null: a pool of
  /// its own.
  std::shared_ptr<FramePool> frame_pool = nullptr;
};

}  // namespace rhyton::graph
