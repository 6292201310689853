#include <rhyton/framework/device/device_spec.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

using test::message_of;

// Pairs from tf.DeviceSpec.from_string(…).to_string().
TEST(DeviceSpecTest, ReadsAllFormsAsTensorFlowDoes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/cpu:0", "/device:CPU:0"},
      {"/gpu:0", "/device:GPU:0"},
      {"/device:GPU:1", "/device:GPU:1"},
      {"GPU:0", "/device:GPU:0"},
      {"CPU", "/device:CPU:*"},
      {"cpu", "/device:CPU:*"},
      {"gpu:*", "/device:GPU:*"},
      {"/cpu:00", "/device:CPU:0"},
      {"/device:XYZ:3", "/device:XYZ:3"},
      {"/device:CPU:*", "/device:CPU:*"},
      {"", ""},
      {"/", ""},
      {"/job:worker", "/job:worker"},
      {"/job:localhost/replica:0/task:0/device:GPU:1", "/job:localhost/replica:0/task:0/device:GPU:1"},
      {"/device:GPU:1/task:2/job:ps", "/job:ps/task:2/device:GPU:1"},
  };
  for (const auto& [name, canonical] : cases) EXPECT_EQ(DeviceSpec::parse(name).to_string(), canonical) << name;
}

TEST(DeviceSpecTest, RefusesWhatTensorFlowRefuses) {
  const auto message = [](const char* name) {
    return message_of<ValueError>([&] { static_cast<void>(DeviceSpec::parse(name)); });
  };
  EXPECT_EQ(message("/foo:0"), "Unknown attribute 'foo' is encountered while parsing the device spec: '/foo:0'.");
  EXPECT_EQ(message("/device:CPU"),
            "Unknown attribute 'device' is encountered while parsing the device spec: '/device:CPU'.");
  EXPECT_EQ(message("/CPU:0/GPU:0"),
            "Multiple device types are not allowed while parsing the device spec: /CPU:0/GPU:0.");
  EXPECT_EQ(message("GPU:x"), "invalid literal for int() with base 10: 'x'");
  EXPECT_EQ(message("GPU:99999999999"), "invalid literal for int() with base 10: '99999999999'");
}

TEST(DeviceSpecTest, InnerFieldsWin) {
  const DeviceSpec outer = DeviceSpec::parse("/job:localhost/device:GPU:1");
  EXPECT_EQ(outer.merged_with(DeviceSpec::parse("/gpu:0")).to_string(), "/job:localhost/device:GPU:0");
  EXPECT_EQ(outer.merged_with(DeviceSpec::parse("CPU")).to_string(), "/job:localhost/device:CPU:1");
  EXPECT_EQ(outer.merged_with(DeviceSpec()), outer);
}

}  // namespace
}  // namespace rhyton
