#include <rhyton/framework/device/logical_device.h>

#include <limits>
#include <utility>

#include <rhyton/framework/device/device_spec.h>
#include <rhyton/framework/error.h>

namespace rhyton {

std::string PhysicalDevice::to_string() const {
  return "PhysicalDevice(name='" + name + "', device_type='" + device_type + "')";
}

std::optional<std::size_t> LogicalDeviceConfiguration::memory_limit_bytes() const {
  if (!memory_limit) return std::nullopt;
  constexpr std::int64_t bytes_per_megabyte = std::int64_t{1} << 20;
  if (*memory_limit < 0 || *memory_limit > std::numeric_limits<std::int64_t>::max() / bytes_per_megabyte) {
    throw ValueError("memory_limit must be a number of MB that is not negative, got " + std::to_string(*memory_limit));
  }
  return static_cast<std::size_t>(*memory_limit * bytes_per_megabyte);
}

LogicalDevice::LogicalDevice(std::string type, int index, int physical_index, std::unique_ptr<Allocator> allocator,
                             std::unique_ptr<Stream> stream)
    : type_(std::move(type)),
      index_(index),
      physical_index_(physical_index),
      is_host_(type_ == "CPU"),
      name_("/device:" + type_ + ":" + std::to_string(index)),
      full_name_(full_device_name(type_, index)),
      allocator_(std::move(allocator)),
      stream_(std::move(stream)) {}

LogicalDevice::LogicalDevice(std::string type, int index, std::string full_name, std::unique_ptr<Allocator> allocator,
                             std::unique_ptr<Stream> stream)
    : type_(std::move(type)),
      index_(index),
      physical_index_(index),
      is_host_(false),
      is_remote_(true),
      name_(full_name),
      full_name_(std::move(full_name)),
      allocator_(std::move(allocator)),
      stream_(std::move(stream)) {}

std::string LogicalDevice::to_string() const {
  return "LogicalDevice(name='" + name_ + "', device_type='" + type_ + "')";
}

std::string full_device_name(const std::string& type, int index) {
  return DeviceSpec{.job = "localhost", .replica = 0, .task = 0, .device_type = type, .device_index = index}
      .to_string();
}

}  // namespace rhyton
