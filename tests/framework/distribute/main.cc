#include <gtest/gtest.h>

#include <vector>

#include <rhyton/framework/device/config.h>

/// Divides the CPU into logical devices, before any device is used: as many as the largest strategy here has replicas.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::vector<rhyton::LogicalDeviceConfiguration> devices(8);
  rhyton::config::set_logical_device_configuration(rhyton::config::list_physical_devices("CPU").front(), devices);
  return RUN_ALL_TESTS();
}
