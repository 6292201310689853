#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/device/host_allocator.h>
#include <rhyton/framework/device/logical_device.h>

namespace rhyton::test {

/// Three logical CPUs that are not listed in the process, for graphs that are not run.
class PretendedDevices {
 public:
  PretendedDevices() {
    for (int index = 0; index < 3; ++index) {
      const std::string number = std::to_string(index);
      devices_.push_back(std::make_unique<LogicalDevice>(
          "CPU", index, 0,
          std::make_unique<HostAllocator>(full_device_name("CPU", index), "CPU_" + number, std::nullopt),
          std::make_unique<HostStream>()));
    }
  }

  LogicalDevice& operator[](int index) { return *devices_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<std::unique_ptr<LogicalDevice>> devices_;
};

}  // namespace rhyton::test
