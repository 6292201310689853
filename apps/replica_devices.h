#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/rhyton.h>

namespace rhyton::apps {

/// Returns the names of `count` devices of that type ("CPU", "GPU"), "/CPU:0" and on, one for each replica: physical
/// devices if there are enough, else logical devices on the first one, on a GPU with 2048 MB of memory each. Must be
/// called before the first use of a device. Throws NotFoundError if there is no such hardware.
inline std::vector<std::string> replica_devices(const std::string& type, int count) {
  constexpr std::int64_t gpu_memory_limit = 2048;
  const std::vector<PhysicalDevice> hardware = config::list_physical_devices(type);
  if (hardware.empty()) throw NotFoundError("Replicas need a " + type + ", but this machine has none.");
  const auto parts = static_cast<std::size_t>(count);
  if (hardware.size() < parts) {
    LogicalDeviceConfiguration part;
    if (type == "GPU") part.memory_limit = gpu_memory_limit;
    config::set_logical_device_configuration(hardware.front(), std::vector<LogicalDeviceConfiguration>(parts, part));
  }
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("/" + type + ":" + std::to_string(i));
  return names;
}

}  // namespace rhyton::apps
