#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/device/config.h>
#include <rhyton/framework/device/logical_device.h>

namespace rhyton::test {

/// One of the logical CPUs of this program.
inline LogicalDevice& cpu(int index) {
  return *config::list_logical_devices("CPU").at(static_cast<std::size_t>(index));
}

/// The log of placements during `work`.
inline std::string placements_of(const std::function<void()>& work) {
  debugging::set_log_device_placement(true);
  ::testing::internal::CaptureStderr();
  work();
  debugging::set_log_device_placement(false);
  return ::testing::internal::GetCapturedStderr();
}

/// A line of the log.
inline std::string placement(const std::string& op, int cpu_index) {
  return "Executing op " + op + " in device /job:localhost/replica:0/task:0/device:CPU:" + std::to_string(cpu_index) +
         "\n";
}

}  // namespace rhyton::test
