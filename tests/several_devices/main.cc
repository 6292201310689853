#include <gtest/gtest.h>

#include <rhyton/framework/device/config.h>

// The tests of this folder have three logical CPUs, which must be created before the first tensor.
int main(int argc, char** argv) {
  rhyton::config::set_logical_device_configuration(rhyton::config::list_physical_devices("CPU").front(), {{}, {}, {}});
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
