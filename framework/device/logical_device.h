#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <rhyton/framework/device/allocator.h>
#include <rhyton/framework/device/stream.h>

namespace rhyton {

/// A piece of hardware: one GPU, or all cores of this machine as one CPU.
struct PhysicalDevice {
  /// "/physical_device:CPU:0".
  std::string name;
  /// "CPU" or "GPU".
  std::string device_type;

  /// As Python prints it: "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')".
  std::string to_string() const;
  friend bool operator==(const PhysicalDevice&, const PhysicalDevice&) = default;
};

/// The properties of a physical device; fields that do not apply are empty, for a CPU all of them.
struct DeviceDetails {
  /// "NVIDIA H200".
  std::optional<std::string> device_name = {};
  /// {9, 0}.
  std::optional<std::pair<int, int>> compute_capability = {};

  friend bool operator==(const DeviceDetails&, const DeviceDetails&) = default;
};

/// The configuration of one logical device of a physical device.
struct LogicalDeviceConfiguration {
  /// The maximum memory of its tensors together, in MB (1 MB = 2^20 bytes); empty for no limit of its own.
  std::optional<std::int64_t> memory_limit = {};

  /// The limit in bytes.
  std::optional<std::size_t> memory_limit_bytes() const;
  friend bool operator==(const LogicalDeviceConfiguration&, const LogicalDeviceConfiguration&) = default;
};

/// The memory that a logical device may take.
struct DeviceMemory {
  /// The maximum in bytes; empty for no limit but the hardware's.
  std::optional<std::size_t> limit = {};
  /// False: all of it is taken for the first tensor. True: it is taken as needed.
  bool growth = true;
};

/// A device that tensors are on and ops run on. It lives as long as the program.
class LogicalDevice {
 public:
  /// For device providers. `type` is "CPU" or "GPU", `index` counts the logical devices of that type,
  /// `physical_index` the hardware of that type.
  LogicalDevice(std::string type, int index, int physical_index, std::unique_ptr<Allocator> allocator,
                std::unique_ptr<Stream> stream);
  /// A device of another task: `full_name` is "/job:ps/replica:0/task:0/device:CPU:0".
  LogicalDevice(std::string type, int index, std::string full_name, std::unique_ptr<Allocator> allocator,
                std::unique_ptr<Stream> stream);
  virtual ~LogicalDevice() = default;
  LogicalDevice(const LogicalDevice&) = delete;
  LogicalDevice& operator=(const LogicalDevice&) = delete;

  /// "/device:CPU:0".
  const std::string& name() const { return name_; }
  /// "/job:localhost/replica:0/task:0/device:CPU:0".
  const std::string& full_name() const { return full_name_; }
  /// "CPU" or "GPU".
  const std::string& type() const { return type_; }
  int index() const { return index_; }
  int physical_index() const { return physical_index_; }
  /// True when the host can read and write this device's memory directly.
  bool is_host() const { return is_host_; }
  /// True for a device of another task: its memory has addresses here, and no content.
  bool is_remote() const { return is_remote_; }

  Allocator& allocator() { return *allocator_; }
  const Allocator& allocator() const { return *allocator_; }
  Stream& stream() { return *stream_; }

  /// As Python prints it: "LogicalDevice(name='/device:CPU:0', device_type='CPU')".
  std::string to_string() const;

 private:
  std::string type_;
  int index_;
  int physical_index_;
  bool is_host_;
  bool is_remote_ = false;
  std::string name_;
  std::string full_name_;
  std::unique_ptr<Allocator> allocator_;
  std::unique_ptr<Stream> stream_;
};

/// The full name of a logical device of this process: "/job:localhost/replica:0/task:0/device:GPU:1".
std::string full_device_name(const std::string& type, int index);

}  // namespace rhyton
