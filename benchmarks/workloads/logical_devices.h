#pragma once

#include <string>
#include <vector>

#include <rhyton/rhyton.h>

namespace workloads {

/// Divides the first CPU or GPU into `count` logical devices and returns their names: "/CPU:0", …. Must be called
/// before the first tensor. Those of a GPU have 2048 MB of memory each.
inline std::vector<std::string> logical_devices(const std::string& type, int count) {
  const std::vector<rhyton::PhysicalDevice> hardware = rhyton::config::list_physical_devices(type);
  if (hardware.empty()) throw rhyton::NotFoundError("There is no " + type + " here.");
  rhyton::LogicalDeviceConfiguration part;
  if (type == "GPU") part.memory_limit = 2048;
  rhyton::config::set_logical_device_configuration(
      hardware.front(), std::vector<rhyton::LogicalDeviceConfiguration>(static_cast<std::size_t>(count), part));
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("/" + type + ":" + std::to_string(i));
  return names;
}

}  // namespace workloads
