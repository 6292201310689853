#include <rhyton/framework/ops/placement.h>

#include <cstdio>
#include <mutex>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/name_scope.h>
#include <rhyton/framework/ops/remote_stream.h>

namespace rhyton {
namespace {

std::string shapes_of(std::span<const TensorSpec> specs) {
  std::string text;
  for (const TensorSpec& spec : specs) {
    text += (text.empty() ? "" : ", ") + std::string(name_of(spec.dtype)) + " " + bracketed(spec.shape);
  }
  return text;
}

std::string with_call(const char* what, const Op& op, std::string_view scope, std::span<const TensorSpec> inputs,
                      const LogicalDevice& device) {
  return std::string(what) + " This was op " + std::string(op.name()) +
         (scope.empty() ? "" : " of '" + std::string(scope) + "'") + " with inputs of " + shapes_of(inputs) +
         " on device " + device.full_name() + ".";
}

}  // namespace

Placement place_on(LogicalDevice& device, const Op& op, std::span<const TensorSpec> inputs) {
  if (device.is_remote()) return {&device, &remote_kernel()};
  if (device.is_host()) return {&device, &cpu_kernels().get(op, inputs)};
  if (const Kernel* kernel = kernels_for(device.type()).find(op.name(), op.kernel_dtype(inputs))) {
    return {&device, kernel};
  }
  if (has_device_scope() && !device_runtime().allows_fallback()) {
    throw InvalidArgumentError("Cannot assign a device for operation " + std::string(op.name()) + ": " +
                               device_runtime().unsatisfied(DeviceSpec::parse(device.full_name()), {"CPU"}));
  }
  return {&device_runtime().host(), &cpu_kernels().get(op, inputs)};
}

Placement place(const Op& op, std::span<const TensorSpec> inputs) { return place_on(current_device(), op, inputs); }

void log_placement(std::string_view op, const LogicalDevice& device) {
  if (!device_runtime().log_placement()) return;
  std::fprintf(stderr, "Executing op %.*s in device %s\n", static_cast<int>(op.size()), op.data(),
               device.full_name().c_str());
}

void with_context(const Op& op, std::string_view scope, std::span<const TensorSpec> inputs, const LogicalDevice& device,
                  threading::FunctionRef<void()> work) {
  try {
    work();
  } catch (const ResourceExhaustedError& error) {
    throw ResourceExhaustedError(with_call(error.what(), op, scope, inputs, device));
  } catch (const RuntimeError& error) {
    throw RuntimeError(with_call(error.what(), op, scope, inputs, device));
  }
}

std::vector<Tensor> run_on_stream(const OpPtr& op, std::span<const Tensor> inputs,
                                  std::span<const TensorSpec> output_specs, const Placement& placement) {
  LogicalDevice& device = *placement.device;
  std::vector<Tensor> copies;
  std::vector<TensorSpec> specs;
  std::vector<TensorView> input_views;
  for (const Tensor& input : inputs) {
    copies.push_back(input.to(device));
    specs.push_back(input.spec());
    // Kernels only write to outputs.
    input_views.push_back({const_cast<void*>(copies.back().device_data()), input.spec()});  // NOLINT
  }
  std::vector<Tensor> outputs;
  std::vector<TensorView> output_views;
  for (const TensorSpec& spec : output_specs) {
    outputs.push_back(Tensor::uninitialized(spec.shape, spec.dtype, device));
    output_views.push_back({outputs.back().mutable_device_data(), spec});
  }
  if (device.is_remote()) {
    // Its errors name the op and the device already, and keep their type.
    const std::scoped_lock lock(device.stream().mutex());
    placement.kernel->run({.op = op.get(), .stream = &device.stream(), .inputs = input_views, .outputs = output_views});
    return outputs;
  }
  with_context(*op, NameScope::current(), specs, device, [&] {
    std::unique_lock lock(device.stream().mutex());
    // While a replica waits for others, they may use its stream.
    if (dynamic_cast<const AllReduceOp*>(op.get()) != nullptr) lock.unlock();
    std::shared_ptr<Storage> workspace;
    if (placement.kernel->workspace_bytes != nullptr) {
      const DeviceScope scope(device);  // a kernel's requirements can depend on the device
      const std::size_t bytes = placement.kernel->workspace_bytes(*op, specs, output_specs);
      if (bytes > 0) workspace = Storage::allocate(bytes, device);
    }
    placement.kernel->run({.op = op.get(),
                           .stream = &device.stream(),
                           .inputs = input_views,
                           .outputs = output_views,
                           .workspace = workspace ? workspace->data() : nullptr});
  });
  return outputs;
}

}  // namespace rhyton
