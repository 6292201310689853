#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

namespace rhyton {

class LogicalDevice;

/// A block of memory on one logical device, aligned to 64 bytes, released with its last owner.
class Storage {
 public:
  /// Allocates that many bytes, uninitialised. Throws ResourceExhaustedError when the device has no more.
  static std::shared_ptr<Storage> allocate(std::size_t bytes, LogicalDevice& device);
  /// The same on the host's first CPU device.
  static std::shared_ptr<Storage> allocate(std::size_t bytes);

  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  /// The block's address on its device.
  void* data() { return data_; }
  const void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  LogicalDevice& device() const { return *device_; }

  /// The bytes where the host can read them: the block itself, or for memory of a GPU a copy, which is made by the
  /// first call and kept until `mark_written`. Waits for earlier work of the device.
  const void* host_data() const;
  /// To be called whenever the device writes to the block: invalidates the host's copy.
  void mark_written();

 private:
  Storage(void* data, std::size_t bytes, LogicalDevice& device);

  void* data_;
  std::size_t bytes_;
  LogicalDevice* device_;
  bool is_on_host_;
  mutable std::mutex host_copy_mutex_;
  mutable std::shared_ptr<Storage> host_copy_;
};

}  // namespace rhyton
