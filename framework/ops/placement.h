#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/threading/function_ref.h>

namespace rhyton {

/// The device and the kernel of an op.
struct Placement {
  LogicalDevice* device = nullptr;
  const Kernel* kernel = nullptr;
};

/// The placement of an op with such inputs now: on the device of the innermost scope, else on the first GPU, or on the
/// first CPU if that GPU has no kernel for it. Throws NotImplementedError if the CPU has none either, and
/// InvalidArgumentError where a scope names a GPU without a kernel and `config::set_soft_device_placement(false)`
/// forbids another device.
Placement place(const Op& op, std::span<const TensorSpec> inputs);

/// The same for a given device instead of the one that a scope names.
Placement place_on(LogicalDevice& device, const Op& op, std::span<const TensorSpec> inputs);

/// Writes to standard error on which device an op runs, if `debugging::set_log_device_placement(true)` was called.
void log_placement(std::string_view op, const LogicalDevice& device);

/// Runs a single op on a device with a stream; inputs on other devices are copied there. Errors name the op, its shapes
/// and the device.
std::vector<Tensor> run_on_stream(const OpPtr& op, std::span<const Tensor> inputs,
                                  std::span<const TensorSpec> output_specs, const Placement& placement);

/// Calls `work`, and adds to its exceptions the op, layer (`scope`, a NameScope), shapes and device.
void with_context(const Op& op, std::string_view scope, std::span<const TensorSpec> inputs, const LogicalDevice& device,
                  threading::FunctionRef<void()> work);

}  // namespace rhyton
