#include <rhyton/framework/device/config.h>

#include <utility>

#include <rhyton/framework/device/device_runtime.h>

namespace rhyton::config {

std::vector<PhysicalDevice> list_physical_devices(std::string_view type) {
  return device_runtime().physical_devices(type);
}

std::vector<LogicalDevice*> list_logical_devices(std::string_view type) {
  return device_runtime().logical_devices(type);
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

void set_soft_device_placement(bool enabled) { device_runtime().set_soft_placement(enabled); }

bool get_soft_device_placement() { return device_runtime().soft_placement(); }

}  // namespace rhyton::config
