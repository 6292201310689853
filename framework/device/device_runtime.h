#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/device/device_spec.h>
#include <rhyton/framework/device/logical_device.h>

namespace rhyton {

class Communicator;

/// Provides the devices of one type of hardware. The CPU's provider is built in; a GPU module registers its own.
class DeviceProvider {
 public:
  virtual ~DeviceProvider() = default;
  /// "CPU" or "GPU".
  virtual const std::string& type() const = 0;
  /// The number of physical devices of this type that the process can use. Called once.
  virtual int physical_device_count() = 0;
  /// The properties of the physical device of that index.
  virtual DeviceDetails details(int /*physical_index*/) { return {}; }
  /// The bytes of memory of the physical device of that index; 0 if unknown.
  virtual std::size_t total_memory(int /*physical_index*/) { return 0; }
  /// Makes the logical device number `index` of this type on the physical device `physical_index`.
  virtual std::unique_ptr<LogicalDevice> make_logical_device(int index, int physical_index,
                                                             const DeviceMemory& memory) = 0;

  /// A new identifier for a group of devices that sum with the vendor's library (NCCL): one member creates it and
  /// passes it to all others. Throws NotFoundError where there is no such library.
  virtual std::string make_communicator_id();
  /// Joins the group of that identifier with a device, as `rank` of `size`. Blocks until all members have joined, so
  /// each member needs a thread of its own.
  virtual std::shared_ptr<Communicator> join_communicator(LogicalDevice& device, const std::string& id, int size,
                                                          int rank);
  /// Whether these devices of the process can be members of one such group; two logical devices of one GPU cannot.
  virtual bool can_join(std::span<LogicalDevice* const> /*devices*/) { return false; }

 protected:
  DeviceProvider() = default;
};

/// The devices of the process and their configuration. Two states: until the logical devices are first needed the
/// configuration may change; from then on it is fixed. Every member function may be called from several threads at
/// once.
class DeviceRuntime {
 public:
  /// A runtime with the built-in CPU provider.
  DeviceRuntime();
  ~DeviceRuntime();
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  /// Adds a kind of hardware. Throws RuntimeError once the physical devices have been listed.
  void add_provider(std::unique_ptr<DeviceProvider> provider);
  /// Adds a function that runs once, before the physical devices are first listed, and may call `add_provider` on the
  /// runtime it is given: it searches for a GPU module.
  void add_discovery(std::function<void(DeviceRuntime&)> discovery);

  /// The hardware, CPU first; of one type only unless `type` is empty. Does not fix the configuration.
  std::vector<PhysicalDevice> physical_devices(std::string_view type = {});
  /// The logical devices, CPU first; of one type only unless `type` is empty. Fixes the configuration.
  std::vector<LogicalDevice*> logical_devices(std::string_view type = {});

  /// Adds devices of other tasks, which live as long as the process, and what `connected_tasks` returns. A device of a
  /// name that there is already is not added.
  void add_remote_devices(std::vector<std::unique_ptr<LogicalDevice>> devices, const std::string& task);
  /// The devices of other tasks.
  std::vector<LogicalDevice*> remote_devices();
  /// The device of another task of that name ("/job:ps/replica:0/task:0/device:CPU:0"); null if there is none.
  LogicalDevice* find_remote(std::string_view full_name);
  /// Names of jobs and tasks that mean this process, besides "localhost" and 0.
  void set_own_task(const std::string& job, int task);

  /// See namespace config for the following functions and the exceptions they throw.
  void set_logical_device_configuration(const PhysicalDevice& device,
                                        std::vector<LogicalDeviceConfiguration> configurations);
  std::optional<std::vector<LogicalDeviceConfiguration>> logical_device_configuration(const PhysicalDevice& device);
  void set_visible_devices(const std::vector<PhysicalDevice>& devices, std::string_view type);
  std::vector<PhysicalDevice> visible_devices(std::string_view type = {});
  void set_memory_growth(const PhysicalDevice& device, bool enable);
  bool memory_growth(const PhysicalDevice& device);
  void set_per_process_memory_fraction(double fraction);
  DeviceDetails device_details(const PhysicalDevice& device);

  /// True once the logical devices exist.
  bool is_initialized() const { return initialized_.load(std::memory_order_acquire); }

  /// The provider of the devices of that type. Throws NotFoundError where there are none.
  DeviceProvider& provider(std::string_view type);

  /// The first CPU device. Fixes the configuration, as the following do.
  LogicalDevice& host();
  /// The device of ops outside of any scope: the first GPU if there is one, else the first CPU.
  LogicalDevice& default_device();
  /// The device that `spec` names; an open field takes the value of the default device. With soft placement a device
  /// that does not exist is replaced by the first device of the same type, else by the default one; otherwise throws
  /// InvalidArgumentError with TensorFlow's text. For a device of another task that is not connected it always throws
  /// InvalidArgumentError, which names the device and the connected tasks.
  LogicalDevice& find(const DeviceSpec& spec);
  /// TensorFlow's text for an op that cannot be placed where `spec` says, with the types of devices it could be placed
  /// on.
  std::string unsatisfied(const DeviceSpec& spec, const std::vector<std::string>& supported_types);

  /// Whether names of absent devices resolve to another device. Off unless set.
  void set_soft_placement(bool enable) {
    soft_placement_.store(enable ? SoftPlacement::on : SoftPlacement::off, std::memory_order_relaxed);
  }
  bool soft_placement() const { return soft_placement_.load(std::memory_order_relaxed) == SoftPlacement::on; }
  /// Whether an op without a kernel for the device of its scope may run on the CPU. On unless soft placement was set to
  /// false.
  bool allows_fallback() const { return soft_placement_.load(std::memory_order_relaxed) != SoftPlacement::off; }

  /// Whether ops log the device they run on.
  void set_log_placement(bool enable) { log_placement_.store(enable, std::memory_order_relaxed); }
  bool log_placement() const { return log_placement_.load(std::memory_order_relaxed); }

 private:
  struct Hardware;
  /// The device of another task that `spec` names. Throws InvalidArgumentError, which names it and the connected tasks.
  LogicalDevice& find_of_other_task(const DeviceSpec& spec);
  bool is_own(const DeviceSpec& spec);
  enum class SoftPlacement { unset, off, on };

  void discover();
  void ensure_initialized();
  /// The memory that a logical device of that hardware and configuration may take.
  DeviceMemory memory_of(const Hardware& hardware, const LogicalDeviceConfiguration& configuration) const;
  void require_equal_growth();
  /// Null, or ValueError, for a device that is not listed.
  Hardware* find_hardware(const PhysicalDevice& device);
  Hardware& hardware_of(const PhysicalDevice& device);

  std::recursive_mutex mutex_;
  std::vector<std::unique_ptr<DeviceProvider>> providers_;
  std::vector<std::function<void(DeviceRuntime&)>> discoveries_;
  bool discovered_ = false;
  bool is_listing_ = false;
  std::vector<Hardware> hardware_;
  /// The fraction of each GPU's memory that this process may take.
  std::optional<double> memory_fraction_;
  /// In the order in which they were made visible.
  std::vector<PhysicalDevice> visible_;
  /// Not changed once `initialized_` is set.
  std::vector<std::unique_ptr<LogicalDevice>> logical_;
  std::atomic<bool> initialized_{false};
  std::mutex remote_mutex_;
  std::vector<std::unique_ptr<LogicalDevice>> remote_;
  /// "/job:ps/replica:0/task:0".
  std::vector<std::string> connected_tasks_;
  std::optional<std::pair<std::string, int>> own_task_;
  std::atomic<SoftPlacement> soft_placement_{SoftPlacement::unset};
  std::atomic<bool> log_placement_{false};
};

/// The process's devices. It outlives every other object, so tensors in static variables may be released at exit.
DeviceRuntime& device_runtime();

}  // namespace rhyton
