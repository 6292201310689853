#include <rhyton/framework/device/device_runtime.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rhyton/framework/device/config.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/device/host_allocator.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

using test::message_of;

/// Pretended hardware that is host memory.
class PretendGpus final : public DeviceProvider {
 public:
  explicit PretendGpus(int count) : count_(count) {}
  const std::string& type() const override { return type_; }
  int physical_device_count() override { return count_; }
  DeviceDetails details(int physical_index) override {
    return {.device_name = "Pretended " + std::to_string(physical_index), .compute_capability = {{9, 0}}};
  }
  std::size_t total_memory(int) override { return std::size_t{1000} << 20; }
  std::unique_ptr<LogicalDevice> make_logical_device(int index, int physical_index,
                                                     const DeviceMemory& memory) override {
    growth.push_back(memory.growth);
    return std::make_unique<LogicalDevice>(
        type_, index, physical_index,
        std::make_unique<HostAllocator>(full_device_name(type_, index), "GPU_" + std::to_string(index), memory.limit),
        std::make_unique<HostStream>());
  }

  /// For each logical device created so far, whether its memory grows.
  std::vector<bool> growth;

 private:
  std::string type_ = "GPU";
  int count_;
};

const PhysicalDevice cpu{"/physical_device:CPU:0", "CPU"};
const PhysicalDevice gpu_0{"/physical_device:GPU:0", "GPU"};
const PhysicalDevice gpu_1{"/physical_device:GPU:1", "GPU"};

std::vector<std::string> names_of(const std::vector<LogicalDevice*>& devices) {
  std::vector<std::string> names;
  names.reserve(devices.size());
  for (const LogicalDevice* device : devices) names.push_back(device->name());
  return names;
}

using Names = std::vector<std::string>;

TEST(DeviceRuntimeTest, HasOneCpu) {
  DeviceRuntime runtime;
  EXPECT_EQ(runtime.physical_devices(), std::vector<PhysicalDevice>{cpu});
  EXPECT_EQ(runtime.physical_devices("CPU").size(), 1U);
  EXPECT_TRUE(runtime.physical_devices("ABC").empty());
  EXPECT_FALSE(runtime.is_initialized());
  EXPECT_EQ(cpu.to_string(), "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')");

  const std::vector<LogicalDevice*> devices = runtime.logical_devices();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_TRUE(runtime.is_initialized());
  EXPECT_EQ(devices[0]->name(), "/device:CPU:0");
  EXPECT_EQ(devices[0]->full_name(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(devices[0]->type(), "CPU");
  EXPECT_TRUE(devices[0]->is_host());
  EXPECT_EQ(devices[0]->to_string(), "LogicalDevice(name='/device:CPU:0', device_type='CPU')");
  EXPECT_EQ(&runtime.host(), devices[0]);
  EXPECT_EQ(&runtime.default_device(), devices[0]);
}

TEST(DeviceRuntimeTest, CpuCanBeCutIntoLogicalDevices) {
  DeviceRuntime runtime;
  EXPECT_EQ(runtime.logical_device_configuration(cpu), std::nullopt);
  const std::vector<LogicalDeviceConfiguration> wanted = {{}, {.memory_limit = 1}};
  runtime.set_logical_device_configuration(cpu, wanted);
  EXPECT_EQ(runtime.logical_device_configuration(cpu), wanted);
  const std::vector<LogicalDevice*> devices = runtime.logical_devices();
  EXPECT_EQ(names_of(devices), (Names{"/device:CPU:0", "/device:CPU:1"}));
  EXPECT_EQ(devices[0]->allocator().statistics().limit, std::nullopt);
  EXPECT_EQ(devices[1]->allocator().statistics().limit, std::size_t{1} << 20);
  EXPECT_EQ(devices[1]->allocator().name(), "CPU_1");

  runtime.set_logical_device_configuration(cpu, wanted);  // no change, no error
  EXPECT_EQ(message_of<RuntimeError>([&] { runtime.set_logical_device_configuration(cpu, {}); }),
            "Virtual devices cannot be modified after being initialized");
}

TEST(DeviceRuntimeTest, RefusesUnknownDevicesAndLimits) {
  DeviceRuntime runtime;
  const std::string unrecognized =
      "Unrecognized device: PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')";
  EXPECT_EQ(message_of<ValueError>([&] { runtime.set_logical_device_configuration(gpu_0, {}); }), unrecognized);
  EXPECT_EQ(message_of<ValueError>([&] { runtime.logical_device_configuration(gpu_0); }), unrecognized);
  EXPECT_EQ(message_of<ValueError>([&] { runtime.set_visible_devices({gpu_0}, ""); }), unrecognized);
  EXPECT_EQ(message_of<ValueError>([&] { runtime.set_memory_growth(gpu_0, true); }), unrecognized);
  EXPECT_EQ(message_of<ValueError>([&] { runtime.set_visible_devices({cpu}, "GPU"); }),
            "Unrecognized device: PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')");
  EXPECT_EQ(message_of<ValueError>([&] { runtime.set_memory_growth(cpu, true); }),
            "Cannot set memory growth on non-GPU and non-Pluggable devices");
  EXPECT_THROW(runtime.set_logical_device_configuration(cpu, {{.memory_limit = -1}}), ValueError);
}

TEST(DeviceRuntimeTest, ProvidersBringFurtherHardware) {
  DeviceRuntime runtime;
  runtime.add_discovery([](DeviceRuntime& found) { found.add_provider(std::make_unique<PretendGpus>(2)); });
  EXPECT_EQ(runtime.physical_devices(), (std::vector<PhysicalDevice>{cpu, gpu_0, gpu_1}));
  EXPECT_EQ(message_of<ValueError>([&] { runtime.set_logical_device_configuration(gpu_0, {{}}); }),
            "Setting memory limit is required for GPU virtual devices");
  runtime.set_logical_device_configuration(gpu_0, {{.memory_limit = 16}, {.memory_limit = 32}});
  EXPECT_EQ(message_of<ValueError>([&] { runtime.set_memory_growth(gpu_0, true); }),
            "Cannot set memory growth on device when virtual devices configured");
  EXPECT_EQ(names_of(runtime.logical_devices()),
            (Names{"/device:CPU:0", "/device:GPU:0", "/device:GPU:1", "/device:GPU:2"}));
  EXPECT_EQ(runtime.logical_devices("GPU")[1]->physical_index(), 0);
  EXPECT_EQ(runtime.logical_devices("GPU")[2]->physical_index(), 1);
  EXPECT_EQ(runtime.default_device().name(), "/device:GPU:0");
  EXPECT_EQ(runtime.host().name(), "/device:CPU:0");
  EXPECT_EQ(runtime.find(DeviceSpec::parse("GPU:2")).name(), "/device:GPU:2");
  EXPECT_EQ(message_of<RuntimeError>([&] { runtime.set_memory_growth(gpu_1, false); }),
            "Physical devices cannot be modified after being initialized");
  EXPECT_EQ(message_of<RuntimeError>([&] { runtime.add_provider(std::make_unique<PretendGpus>(1)); }),
            "Physical devices cannot be modified after being initialized");
}

TEST(DeviceRuntimeTest, TellsWhatIsKnownOfHardware) {
  DeviceRuntime runtime;
  runtime.add_provider(std::make_unique<PretendGpus>(2));
  EXPECT_EQ(runtime.device_details(cpu), DeviceDetails());
  EXPECT_EQ(runtime.device_details(gpu_1).device_name, "Pretended 1");
  EXPECT_EQ(runtime.device_details(gpu_1).compute_capability, std::pair(9, 0));
  EXPECT_FALSE(runtime.is_initialized());
  EXPECT_EQ(message_of<ValueError>([&] {
              runtime.device_details({"/physical_device:GPU:7", "GPU"});
            }),
            "The PhysicalDevice must be one obtained from calling `config::list_physical_devices`, but got: "
            "PhysicalDevice(name='/physical_device:GPU:7', device_type='GPU')");
}

TEST(DeviceRuntimeTest, HiddenDevicesAreNotMade) {
  DeviceRuntime runtime;
  runtime.add_provider(std::make_unique<PretendGpus>(2));
  EXPECT_EQ(runtime.visible_devices(), (std::vector<PhysicalDevice>{cpu, gpu_0, gpu_1}));
  runtime.set_visible_devices({gpu_1}, "GPU");
  EXPECT_EQ(runtime.visible_devices("GPU"), std::vector<PhysicalDevice>{gpu_1});
  EXPECT_EQ(names_of(runtime.logical_devices()), (Names{"/device:CPU:0", "/device:GPU:0"}));
  EXPECT_EQ(runtime.logical_devices("GPU")[0]->physical_index(), 1);
  EXPECT_EQ(message_of<RuntimeError>([&] { runtime.set_visible_devices({}, "GPU"); }),
            "Visible devices cannot be modified after being initialized");
}

TEST(DeviceRuntimeTest, AProcessMayTakeAPartOfEachGpu) {
  DeviceRuntime runtime;
  runtime.add_provider(std::make_unique<PretendGpus>(2));
  for (const double fraction : {0.0, -0.5, 1.5, std::nan("")}) {
    EXPECT_THROW(runtime.set_per_process_memory_fraction(fraction), ValueError) << fraction;
  }
  runtime.set_per_process_memory_fraction(0.25);
  // Devices with their own limits keep them.
  runtime.set_logical_device_configuration(gpu_1, {{.memory_limit = 10}});
  const std::vector<LogicalDevice*> devices = runtime.logical_devices("GPU");
  EXPECT_EQ(devices[0]->allocator().statistics().limit, std::size_t{250} << 20);
  EXPECT_EQ(devices[1]->allocator().statistics().limit, std::size_t{10} << 20);
  runtime.set_per_process_memory_fraction(0.25);
  EXPECT_EQ(message_of<RuntimeError>([&] { runtime.set_per_process_memory_fraction(0.5); }),
            "Physical devices cannot be modified after being initialized");
}

TEST(DeviceRuntimeTest, MemoryGrowthIsTheSameForAllGpusThatAreWhole) {
  DeviceRuntime runtime;
  auto provider = std::make_unique<PretendGpus>(2);
  const std::vector<bool>& growth = provider->growth;
  runtime.add_provider(std::move(provider));
  runtime.set_memory_growth(gpu_0, false);
  EXPECT_EQ(message_of<ValueError>([&] { runtime.logical_devices(); }),
            "Memory growth cannot differ between GPU devices");
  runtime.set_memory_growth(gpu_1, false);
  runtime.logical_devices();
  EXPECT_EQ(growth, (std::vector<bool>{false, false}));
}

TEST(DeviceRuntimeTest, TheEnvironmentDecidesOnMemoryGrowth) {
  for (const bool forced : {false, true}) {
    setenv("TF_FORCE_GPU_ALLOW_GROWTH", forced ? "true" : "false", 1);
    DeviceRuntime runtime;
    auto provider = std::make_unique<PretendGpus>(1);
    const std::vector<bool>& growth = provider->growth;
    runtime.add_provider(std::move(provider));
    runtime.set_memory_growth(gpu_0, !forced);
    runtime.logical_devices();
    EXPECT_EQ(growth, std::vector<bool>{forced});
  }
  unsetenv("TF_FORCE_GPU_ALLOW_GROWTH");
}

TEST(DeviceRuntimeTest, FailedDiscoveryCanBeSeen) {
  DeviceRuntime runtime;
  runtime.add_discovery([](DeviceRuntime&) { throw RuntimeError("broken driver"); });
  EXPECT_THROW(runtime.physical_devices(), RuntimeError);
  EXPECT_EQ(runtime.physical_devices().size(), 1U);
}

TEST(DeviceRuntimeTest, UnknownDeviceIsAnErrorUnlessPlacementIsSoft) {
  DeviceRuntime runtime;
  EXPECT_EQ(message_of<InvalidArgumentError>([&] { runtime.find(DeviceSpec::parse("/GPU:0")); }),
            "Could not satisfy device specification '/job:localhost/replica:0/task:0/device:GPU:0'. "
            "enable_soft_placement=0. Supported device types [CPU]. All available devices "
            "[/job:localhost/replica:0/task:0/device:CPU:0].");
  EXPECT_EQ(
      message_of<InvalidArgumentError>([&] { runtime.find(DeviceSpec::parse("/job:other/cpu:0")); }),
      "/job:other/replica:0/task:0/device:CPU:0 unknown device. This program is not connected to other tasks: call "
      "distribute::connect_to_cluster first.");
  runtime.set_soft_placement(true);
  EXPECT_EQ(runtime.find(DeviceSpec::parse("/GPU:0")).name(), "/device:CPU:0");
}

TEST(DeviceRuntimeTest, SoftPlacementPrefersTheSameType) {
  DeviceRuntime runtime;
  runtime.add_provider(std::make_unique<PretendGpus>(2));
  EXPECT_TRUE(runtime.allows_fallback());
  runtime.set_soft_placement(false);
  EXPECT_FALSE(runtime.allows_fallback());
  runtime.set_soft_placement(true);
  EXPECT_TRUE(runtime.allows_fallback());
  EXPECT_EQ(runtime.find(DeviceSpec::parse("/GPU:5")).name(), "/device:GPU:0");
  EXPECT_EQ(runtime.find(DeviceSpec::parse("/CPU:5")).name(), "/device:CPU:0");
  EXPECT_EQ(runtime.find(DeviceSpec::parse("/device:TPU:0")).name(), "/device:GPU:0");
}

TEST(DeviceRuntimeTest, ThreadsMayInitializeAtOnce) {
  DeviceRuntime runtime;
  std::vector<LogicalDevice*> found(4);
  std::vector<std::thread> threads;
  threads.reserve(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) threads.emplace_back([&, i] { found[i] = &runtime.host(); });
  for (std::thread& thread : threads) thread.join();
  for (const LogicalDevice* device : found) EXPECT_EQ(device, found[0]);
}

TEST(DeviceScopeTest, ScopesNestPerThread) {
  EXPECT_FALSE(has_device_scope());
  LogicalDevice& outside = current_device();
  {
    const auto scope = device("/CPU:0");
    EXPECT_TRUE(has_device_scope());
    EXPECT_EQ(current_device().name(), "/device:CPU:0");
    {
      const auto inner = device("/job:localhost");
      EXPECT_EQ(inner.spec().to_string(), "/job:localhost/device:CPU:0");
      std::thread([] { EXPECT_FALSE(has_device_scope()); }).join();
    }
    EXPECT_EQ(&current_device(), &scope.target());
  }
  EXPECT_FALSE(has_device_scope());
  EXPECT_EQ(&current_device(), &outside);
}

TEST(DeviceScopeTest, FailedScopeLeavesNothingBehind) {
  EXPECT_THROW(static_cast<void>(device("/CPU:77")), InvalidArgumentError);
  EXPECT_THROW(static_cast<void>(device("/bar:77")), ValueError);
  EXPECT_FALSE(has_device_scope());
}

TEST(DebuggingTest, PlacementLogIsASwitch) {
  EXPECT_FALSE(debugging::get_log_device_placement());
  debugging::set_log_device_placement(true);
  EXPECT_TRUE(debugging::get_log_device_placement());
  debugging::set_log_device_placement(false);
}

TEST(ConfigTest, SpeaksForTheProcess) {
  EXPECT_EQ(config::list_physical_devices("CPU").size(), 1U);
  EXPECT_FALSE(config::list_logical_devices("CPU").empty());
  EXPECT_EQ(config::get_visible_devices("CPU"), config::list_physical_devices("CPU"));
  EXPECT_EQ(config::get_logical_device_configuration(cpu), std::nullopt);
  EXPECT_THROW(config::set_logical_device_configuration(cpu, {{}, {}, {}}), RuntimeError);
  EXPECT_THROW(config::set_visible_devices({}), RuntimeError);
}

TEST(ConfigTest, MemoryOfADevice) {
  LogicalDevice& device = *config::list_logical_devices("CPU").front();
  const std::size_t before = config::get_memory_info("CPU:0").current;
  void* const block = device.allocator().allocate(4096, 64);
  config::reset_memory_stats("/device:CPU:0");
  EXPECT_EQ(config::get_memory_info("/job:localhost/replica:0/task:0/device:CPU:0").current, before + 4096);
  device.allocator().deallocate(block, 4096);
  EXPECT_EQ(config::get_memory_info("cpu:0").current, before);
  EXPECT_EQ(config::get_memory_info("cpu:0").peak, before + 4096);
  config::reset_memory_stats("CPU:0");
  EXPECT_EQ(config::get_memory_info("CPU").peak, before);
  EXPECT_EQ(message_of<ValueError>([] { config::get_memory_info("CPU:7"); }), "No matching devices found for 'CPU:7'");
  EXPECT_EQ(message_of<ValueError>([] { config::reset_memory_stats("CPU:7"); }),
            "No matching devices found for 'CPU:7'");
}

TEST(HostStreamTest, CopiesAndFills) {
  HostStream stream;
  const std::vector<int> source = {1, 2, 3};
  std::vector<int> target(3);
  stream.copy_from_host(target.data(), source.data(), 12);
  EXPECT_EQ(target, source);
  stream.fill(target.data(), 0, 8);
  EXPECT_EQ(target, (std::vector<int>{0, 0, 3}));
  stream.copy_to_host(nullptr, nullptr, 0);
  stream.synchronize();
}

}  // namespace
}  // namespace rhyton
