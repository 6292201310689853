#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/threading/function_ref.h>

namespace rhyton {

/// Where an op runs, and with which kernel.
struct Placement {
  LogicalDevice* device = nullptr;
  const Kernel* kernel = nullptr;
};

/// Where an op with such inputs runs now: on the device of the innermost scope, else on the first GPU, and on the first
/// CPU where that GPU has no kernel for it. Throws NotImplementedError where the CPU has none either, and
/// InvalidArgumentError where a scope names a GPU without a kernel and `config::set_soft_device_placement(false)`
/// forbids another device.
Placement place(const Op& op, std::span<const TensorSpec> inputs);

/// The same for a given device instead of the one that a scope names.
Placement place_on(LogicalDevice& device, const Op& op, std::span<const TensorSpec> inputs);

/// The line that says where an op runs, on standard error, where `debugging::set_log_device_placement(true)` asks for
/// it.
void log_placement(std::string_view op, const LogicalDevice& device);

/// Runs an op by itself on a device whose work goes through a stream; inputs that are elsewhere are copied there. What
/// goes wrong is told with the op's name, its shapes and the device.
std::vector<Tensor> run_on_stream(const OpPtr& op, std::span<const Tensor> inputs,
                                  std::span<const TensorSpec> output_specs, const Placement& placement);

/// Calls `work`, and adds to what it throws which op, layer (`scope`, a NameScope), shapes and device it was about.
void with_context(const Op& op, std::string_view scope, std::span<const TensorSpec> inputs, const LogicalDevice& device,
                  threading::FunctionRef<void()> work);

}  // namespace rhyton
