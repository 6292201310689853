#include <rhyton/framework/distribute/named_devices.h>

#include <rhyton/framework/device/device_runtime.h>

namespace rhyton::distribute {

std::vector<LogicalDevice*> devices_named(const std::vector<std::string>& names) {
  if (names.empty()) {
    const std::vector<LogicalDevice*> gpus = device_runtime().logical_devices("GPU");
    return gpus.empty() ? device_runtime().logical_devices("CPU") : gpus;
  }
  std::vector<LogicalDevice*> devices;
  for (const std::string& name : names) devices.push_back(&device_runtime().find(DeviceSpec::parse(name)));
  return devices;
}

std::string listed(const std::vector<LogicalDevice*>& devices) {
  std::string text = "(";
  for (std::size_t i = 0; i < devices.size(); ++i) text += (i > 0 ? ", '" : "'") + devices[i]->full_name() + "'";
  return text + (devices.size() == 1 ? ",)" : ")");
}

}  // namespace rhyton::distribute
