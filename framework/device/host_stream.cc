#include <cstring>

#include <rhyton/framework/device/stream.h>

namespace rhyton {

void HostStream::copy_from_host(void* device_target, const void* host_source, std::size_t bytes) {
  copy(device_target, host_source, bytes);
}

void HostStream::copy_to_host(void* host_target, const void* device_source, std::size_t bytes) {
  copy(host_target, device_source, bytes);
}

void HostStream::copy(void* device_target, const void* device_source, std::size_t bytes) {
  if (bytes != 0) std::memcpy(device_target, device_source, bytes);
}

void HostStream::fill(void* device_target, unsigned char value, std::size_t bytes) {
  if (bytes != 0) std::memset(device_target, value, bytes);
}

}  // namespace rhyton
