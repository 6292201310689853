#pragma once

#include <string>
#include <vector>

#include <rhyton/rhyton.h>

namespace workloads {

/// Cuts the CPU into so many logical devices, which must come before any tensor, and gives their names: "/cpu:0", ….
inline std::vector<std::string> logical_cpus(int count) {
  rhyton::config::set_logical_device_configuration(
      rhyton::config::list_physical_devices("CPU").front(),
      std::vector<rhyton::LogicalDeviceConfiguration>(static_cast<std::size_t>(count)));
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("/cpu:" + std::to_string(i));
  return names;
}

}  // namespace workloads
