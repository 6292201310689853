#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <rhyton/framework/device/logical_device.h>

/// Which devices the program sees and how they are divided (TensorFlow's `tf.config`). The configuration is fixed by
/// the first call that needs a logical device: listing them, opening a device scope, or making a tensor.
namespace rhyton::config {

/// The hardware: CPU first, then the GPUs. `type` ("CPU", "GPU") selects one type; an unknown one gives an empty list.
/// Does not fix the configuration.
std::vector<PhysicalDevice> list_physical_devices(std::string_view type = {});

/// The devices that tensors can be on, which stay valid to the end of the program: those of this process, then those of
/// the tasks that it is connected to (`distribute::connect_to_cluster`). Fixes the configuration.
std::vector<LogicalDevice*> list_logical_devices(std::string_view type = {});

/// Divides `device` into one logical device per entry; an empty list means one device for all of it. On a GPU each
/// entry needs a memory limit; on the CPU it may have one (TensorFlow allows none there). Throws ValueError for a
/// device that is not listed or a missing or negative limit, and RuntimeError when the configuration is fixed and would
/// change.
void set_logical_device_configuration(const PhysicalDevice& device,
                                      std::vector<LogicalDeviceConfiguration> configurations);

/// The argument of `set_logical_device_configuration`; empty when it was not called. Throws ValueError for a device
/// that is not listed.
std::optional<std::vector<LogicalDeviceConfiguration>> get_logical_device_configuration(const PhysicalDevice& device);

/// Restricts the logical devices to these devices; with `type`, only the visible devices of that type change. The CPU
/// stays usable even when it is left out. Throws ValueError for a device that is not listed or of another type, and
/// RuntimeError when the configuration is fixed and would change.
void set_visible_devices(const std::vector<PhysicalDevice>& devices, std::string_view type = {});

/// The devices that become logical ones.
std::vector<PhysicalDevice> get_visible_devices(std::string_view type = {});

/// Whether memory of a GPU is taken as it is needed (true, unless set) or nearly all at once. The environment variable
/// TF_FORCE_GPU_ALLOW_GROWTH ("true", "false") takes precedence over this setting. Throws ValueError for a device that
/// is not listed, is no GPU, or is divided into logical devices, and RuntimeError when the configuration is fixed and
/// would change.
void set_memory_growth(const PhysicalDevice& device, bool enable);
bool get_memory_growth(const PhysicalDevice& device);

/// Sets the maximum fraction of each GPU's memory that this process takes; logical devices with a limit of their own
/// keep it. Throws ValueError for a number outside (0, 1], and RuntimeError when the configuration is fixed and would
/// change. (TensorFlow 1's `per_process_gpu_memory_fraction`, PyTorch's `set_per_process_memory_fraction`.)
void set_per_process_memory_fraction(double fraction);

/// The properties of a physical device. Throws ValueError for a device that is not listed.
DeviceDetails get_device_details(const PhysicalDevice& device);

/// The memory of the tensors on a logical device, in bytes.
struct MemoryInfo {
  std::size_t current = 0;
  /// The maximum since the start of the program, or `reset_memory_stats`.
  std::size_t peak = 0;
};

/// The memory of the device of this name ("GPU:0"). Fixes the configuration. Throws ValueError for a name that cannot
/// be parsed, or that matches none or several of the devices.
MemoryInfo get_memory_info(std::string_view device);
/// Sets the peak of that device to its current memory. Throws as `get_memory_info`.
void reset_memory_stats(std::string_view device);

/// With `true`, a device name that does not exist means the first device of that type, else the default one, instead of
/// an error. With `false`, an op without a kernel for the device that a scope names is an error too; unless set, such
/// an op runs on the CPU.
void set_soft_device_placement(bool enabled);
bool get_soft_device_placement();

}  // namespace rhyton::config
