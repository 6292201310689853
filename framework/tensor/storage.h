#pragma once

#include <cstddef>
#include <memory>

namespace rhyton {

class LogicalDevice;

/// A block of memory on one logical device, aligned to 64 bytes, released when its last owner goes.
class Storage {
 public:
  /// Memory of that many bytes, uninitialised. Throws ResourceExhaustedError when the device has no more.
  static std::shared_ptr<Storage> allocate(std::size_t bytes, LogicalDevice& device);
  /// The same on the host's first CPU device.
  static std::shared_ptr<Storage> allocate(std::size_t bytes);

  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data() { return data_; }
  const void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  LogicalDevice& device() const { return *device_; }

 private:
  Storage(void* data, std::size_t bytes, LogicalDevice& device) : data_(data), bytes_(bytes), device_(&device) {}

  void* data_;
  std::size_t bytes_;
  LogicalDevice* device_;
};

}  // namespace rhyton
