#include <rhyton/framework/device/device_copy.h>

namespace rhyton {

void copy_between_devices(LogicalDevice& target_device, void* target, LogicalDevice& source_device, const void* source,
                          std::size_t bytes) {
  if (bytes == 0) return;
  if (&target_device == &source_device || (target_device.is_host() && source_device.is_host())) {
    target_device.stream().copy(target, source, bytes);
  } else if (source_device.is_host()) {
    target_device.stream().copy_from_host(target, source, bytes);
  } else if (target_device.is_host()) {
    source_device.stream().copy_to_host(target, source, bytes);
  } else {
    target_device.stream().copy_from_peer(target, source_device.stream(), source, bytes);
  }
}

}  // namespace rhyton
