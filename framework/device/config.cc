#include <rhyton/framework/device/config.h>

#include <string>
#include <utility>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_spec.h>
#include <rhyton/framework/error.h>

namespace rhyton::config {
namespace {

/// The only device that the name matches.
LogicalDevice& the_device(std::string_view name) {
  const DeviceSpec spec = DeviceSpec::parse(name);
  std::vector<LogicalDevice*> matching = device_runtime().logical_devices();
  std::erase_if(matching, [&](const LogicalDevice* device) {
    const DeviceSpec own = DeviceSpec::parse(device->full_name());
    return own.merged_with(spec) != own;
  });
  if (matching.empty()) throw ValueError("No matching devices found for '" + std::string(name) + "'");
  if (matching.size() > 1) throw ValueError("Multiple devices matching '" + std::string(name) + "' were found");
  return *matching.front();
}

}  // namespace

std::vector<PhysicalDevice> list_physical_devices(std::string_view type) {
  return device_runtime().physical_devices(type);
}

std::vector<LogicalDevice*> list_logical_devices(std::string_view type) {
  std::vector<LogicalDevice*> devices = device_runtime().logical_devices(type);
  for (LogicalDevice* const device : device_runtime().remote_devices()) {
    if (type.empty() || device->type() == type) devices.push_back(device);
  }
  return devices;
}

void set_logical_device_configuration(const PhysicalDevice& device,
                                      std::vector<LogicalDeviceConfiguration> configurations) {
  device_runtime().set_logical_device_configuration(device, std::move(configurations));
}

std::optional<std::vector<LogicalDeviceConfiguration>> get_logical_device_configuration(const PhysicalDevice& device) {
  return device_runtime().logical_device_configuration(device);
}

void set_visible_devices(const std::vector<PhysicalDevice>& devices, std::string_view type) {
  device_runtime().set_visible_devices(devices, type);
}

std::vector<PhysicalDevice> get_visible_devices(std::string_view type) {
  return device_runtime().visible_devices(type);
}

void set_memory_growth(const PhysicalDevice& device, bool enable) {
  device_runtime().set_memory_growth(device, enable);
}

bool get_memory_growth(const PhysicalDevice& device) { return device_runtime().memory_growth(device); }

void set_per_process_memory_fraction(double fraction) { device_runtime().set_per_process_memory_fraction(fraction); }

DeviceDetails get_device_details(const PhysicalDevice& device) { return device_runtime().device_details(device); }

MemoryInfo get_memory_info(std::string_view device) {
  const AllocatorStatistics statistics = the_device(device).allocator().statistics();
  return {.current = statistics.in_use, .peak = statistics.peak};
}

void reset_memory_stats(std::string_view device) { the_device(device).allocator().reset_peak(); }

void set_soft_device_placement(bool enabled) { device_runtime().set_soft_placement(enabled); }

bool get_soft_device_placement() { return device_runtime().soft_placement(); }

}  // namespace rhyton::config
