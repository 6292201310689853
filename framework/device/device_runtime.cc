#include <rhyton/framework/device/device_runtime.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <rhyton/framework/device/gpu_module.h>
#include <rhyton/framework/device/host_allocator.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

class CpuProvider final : public DeviceProvider {
 public:
  const std::string& type() const override { return type_; }
  int physical_device_count() override { return 1; }
  std::unique_ptr<LogicalDevice> make_logical_device(int index, int physical_index,
                                                     const DeviceMemory& memory) override {
    return std::make_unique<LogicalDevice>(
        type_, index, physical_index,
        std::make_unique<HostAllocator>(full_device_name(type_, index), "CPU_" + std::to_string(index), memory.limit),
        std::make_unique<HostStream>());
  }

 private:
  std::string type_ = "CPU";
};

// The environment variable of TensorFlow: whether the memory of GPUs is taken as it is needed.
std::optional<bool> growth_of_environment() {
  const std::string_view value = environment("TF_FORCE_GPU_ALLOW_GROWTH");
  if (value == "true") return true;
  if (value == "false") return false;
  return std::nullopt;
}

}  // namespace

std::string DeviceProvider::make_communicator_id() {
  throw NotFoundError("Devices of type " + type() + " have no library for sums over several of them.");
}

std::shared_ptr<Communicator> DeviceProvider::join_communicator(LogicalDevice&, const std::string&, int, int) {
  throw NotFoundError("Devices of type " + type() + " have no library for sums over several of them.");
}

struct DeviceRuntime::Hardware {
  PhysicalDevice device;
  DeviceProvider* provider = nullptr;
  int index = 0;
  std::optional<std::vector<LogicalDeviceConfiguration>> configurations = {};
  bool memory_growth = true;
};

DeviceRuntime::DeviceRuntime() { providers_.push_back(std::make_unique<CpuProvider>()); }

DeviceRuntime::~DeviceRuntime() = default;

void DeviceRuntime::add_provider(std::unique_ptr<DeviceProvider> provider) {
  const std::scoped_lock lock(mutex_);
  if (discovered_) throw RuntimeError("Physical devices cannot be modified after being initialized");
  providers_.push_back(std::move(provider));
}

void DeviceRuntime::add_discovery(std::function<void(DeviceRuntime&)> discovery) {
  const std::scoped_lock lock(mutex_);
  if (discovered_) throw RuntimeError("Physical devices cannot be modified after being initialized");
  discoveries_.push_back(std::move(discovery));
}

void DeviceRuntime::discover() {
  if (discovered_) return;
  if (is_listing_) throw RuntimeError("The devices cannot be listed while they are being discovered");
  is_listing_ = true;
  const std::vector<std::function<void(DeviceRuntime&)>> discoveries = std::exchange(discoveries_, {});
  try {
    for (const auto& discovery : discoveries) discovery(*this);
  } catch (...) {
    is_listing_ = false;
    throw;
  }
  is_listing_ = false;
  for (const std::unique_ptr<DeviceProvider>& provider : providers_) {
    const int count = provider->physical_device_count();
    for (int index = 0; index < count; ++index) {
      PhysicalDevice device{"/physical_device:" + provider->type() + ":" + std::to_string(index), provider->type()};
      visible_.push_back(device);
      hardware_.push_back({.device = std::move(device), .provider = provider.get(), .index = index});
    }
  }
  discovered_ = true;
}

void DeviceRuntime::ensure_initialized() {
  if (is_initialized()) return;
  const std::scoped_lock lock(mutex_);
  if (is_initialized()) return;
  discover();
  require_equal_growth();
  std::vector<std::unique_ptr<LogicalDevice>> devices;
  for (const std::unique_ptr<DeviceProvider>& provider : providers_) {
    // The CPU exists even when it is hidden: the host's own tensors are on it.
    const bool is_host = provider->type() == "CPU";
    std::vector<PhysicalDevice> wanted;
    if (is_host) {
      for (const Hardware& hardware : hardware_) {
        if (hardware.provider == provider.get()) wanted.push_back(hardware.device);
      }
    } else {
      std::copy_if(visible_.begin(), visible_.end(), std::back_inserter(wanted),
                   [&](const PhysicalDevice& device) { return device.device_type == provider->type(); });
    }
    int index = 0;
    for (const PhysicalDevice& device : wanted) {
      const Hardware& hardware = hardware_of(device);
      const bool is_split = hardware.configurations && !hardware.configurations->empty();
      const std::vector<LogicalDeviceConfiguration> configurations =
          is_split ? *hardware.configurations : std::vector<LogicalDeviceConfiguration>(1);
      for (const LogicalDeviceConfiguration& configuration : configurations) {
        devices.push_back(provider->make_logical_device(index, hardware.index, memory_of(hardware, configuration)));
        ++index;
      }
    }
  }
  logical_ = std::move(devices);
  initialized_.store(true, std::memory_order_release);
}

DeviceMemory DeviceRuntime::memory_of(const Hardware& hardware, const LogicalDeviceConfiguration& configuration) const {
  DeviceMemory memory{.limit = configuration.memory_limit_bytes(), .growth = hardware.memory_growth};
  if (hardware.device.device_type == "CPU") return memory;
  if (const std::optional<bool> forced = growth_of_environment()) memory.growth = *forced;
  const std::size_t total = hardware.provider->total_memory(hardware.index);
  if (!memory.limit && memory_fraction_ && total > 0) {
    memory.limit = static_cast<std::size_t>(static_cast<double>(total) * *memory_fraction_);
  }
  return memory;
}

void DeviceRuntime::require_equal_growth() {
  std::optional<bool> growth;
  for (const PhysicalDevice& device : visible_) {
    const Hardware& hardware = hardware_of(device);
    if (device.device_type != "GPU" || hardware.configurations) continue;
    if (growth.value_or(hardware.memory_growth) != hardware.memory_growth) {
      throw ValueError("Memory growth cannot differ between GPU devices");
    }
    growth = hardware.memory_growth;
  }
}

DeviceRuntime::Hardware* DeviceRuntime::find_hardware(const PhysicalDevice& device) {
  const auto found = std::find_if(hardware_.begin(), hardware_.end(),
                                  [&](const Hardware& hardware) { return hardware.device == device; });
  return found == hardware_.end() ? nullptr : &*found;
}

DeviceRuntime::Hardware& DeviceRuntime::hardware_of(const PhysicalDevice& device) {
  Hardware* const found = find_hardware(device);
  if (found == nullptr) throw ValueError("Unrecognized device: " + device.to_string());
  return *found;
}

std::vector<PhysicalDevice> DeviceRuntime::physical_devices(std::string_view type) {
  const std::scoped_lock lock(mutex_);
  discover();
  std::vector<PhysicalDevice> devices;
  for (const Hardware& hardware : hardware_) {
    if (type.empty() || hardware.device.device_type == type) devices.push_back(hardware.device);
  }
  return devices;
}

std::vector<LogicalDevice*> DeviceRuntime::logical_devices(std::string_view type) {
  ensure_initialized();
  std::vector<LogicalDevice*> devices;
  for (const std::unique_ptr<LogicalDevice>& device : logical_) {
    if (type.empty() || device->type() == type) devices.push_back(device.get());
  }
  return devices;
}

void DeviceRuntime::set_logical_device_configuration(const PhysicalDevice& device,
                                                     std::vector<LogicalDeviceConfiguration> configurations) {
  const std::scoped_lock lock(mutex_);
  discover();
  Hardware& hardware = hardware_of(device);
  for (const LogicalDeviceConfiguration& configuration : configurations) {
    if (device.device_type == "GPU" && !configuration.memory_limit) {
      throw ValueError("Setting memory limit is required for GPU virtual devices");
    }
    static_cast<void>(configuration.memory_limit_bytes());
  }
  if (hardware.configurations == configurations) return;
  if (is_initialized()) throw RuntimeError("Virtual devices cannot be modified after being initialized");
  hardware.configurations = std::move(configurations);
}

std::optional<std::vector<LogicalDeviceConfiguration>> DeviceRuntime::logical_device_configuration(
    const PhysicalDevice& device) {
  const std::scoped_lock lock(mutex_);
  discover();
  return hardware_of(device).configurations;
}

void DeviceRuntime::set_visible_devices(const std::vector<PhysicalDevice>& devices, std::string_view type) {
  const std::scoped_lock lock(mutex_);
  discover();
  for (const PhysicalDevice& device : devices) {
    hardware_of(device);
    if (!type.empty() && device.device_type != type) throw ValueError("Unrecognized device: " + device.to_string());
  }
  std::vector<PhysicalDevice> visible;
  if (!type.empty()) {
    std::copy_if(visible_.begin(), visible_.end(), std::back_inserter(visible),
                 [&](const PhysicalDevice& device) { return device.device_type != type; });
  }
  for (const PhysicalDevice& device : devices) {
    if (std::find(visible.begin(), visible.end(), device) == visible.end()) visible.push_back(device);
  }
  if (visible == visible_) return;
  if (is_initialized()) throw RuntimeError("Visible devices cannot be modified after being initialized");
  visible_ = std::move(visible);
}

std::vector<PhysicalDevice> DeviceRuntime::visible_devices(std::string_view type) {
  const std::scoped_lock lock(mutex_);
  discover();
  std::vector<PhysicalDevice> devices;
  std::copy_if(visible_.begin(), visible_.end(), std::back_inserter(devices),
               [&](const PhysicalDevice& device) { return type.empty() || device.device_type == type; });
  return devices;
}

void DeviceRuntime::set_memory_growth(const PhysicalDevice& device, bool enable) {
  const std::scoped_lock lock(mutex_);
  discover();
  Hardware& hardware = hardware_of(device);
  if (hardware.configurations) {
    throw ValueError("Cannot set memory growth on device when virtual devices configured");
  }
  if (device.device_type != "GPU") {
    throw ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices");
  }
  if (hardware.memory_growth == enable) return;
  if (is_initialized()) throw RuntimeError("Physical devices cannot be modified after being initialized");
  hardware.memory_growth = enable;
}

bool DeviceRuntime::memory_growth(const PhysicalDevice& device) {
  const std::scoped_lock lock(mutex_);
  discover();
  return hardware_of(device).memory_growth;
}

void DeviceRuntime::set_per_process_memory_fraction(double fraction) {
  if (!(fraction > 0.0 && fraction <= 1.0)) {
    throw ValueError("The fraction of a GPU's memory must be greater than 0 and at most 1, got " +
                     std::to_string(fraction));
  }
  const std::scoped_lock lock(mutex_);
  if (memory_fraction_ == fraction) return;
  if (is_initialized()) throw RuntimeError("Physical devices cannot be modified after being initialized");
  memory_fraction_ = fraction;
}

DeviceDetails DeviceRuntime::device_details(const PhysicalDevice& device) {
  const std::scoped_lock lock(mutex_);
  discover();
  const Hardware* const found = find_hardware(device);
  if (found == nullptr) {
    throw ValueError("The PhysicalDevice must be one obtained from calling `config::list_physical_devices`, but got: " +
                     device.to_string());
  }
  return found->provider->details(found->index);
}

DeviceProvider& DeviceRuntime::provider(std::string_view type) {
  ensure_initialized();
  const std::scoped_lock lock(mutex_);
  for (const std::unique_ptr<DeviceProvider>& provider : providers_) {
    if (provider->type() == type) return *provider;
  }
  throw NotFoundError("There are no devices of type " + std::string(type) + ".");
}

LogicalDevice& DeviceRuntime::host() {
  ensure_initialized();
  return *logical_.front();
}

LogicalDevice& DeviceRuntime::default_device() {
  ensure_initialized();
  for (const std::unique_ptr<LogicalDevice>& device : logical_) {
    if (device->type() == "GPU") return *device;
  }
  return *logical_.front();
}

LogicalDevice& DeviceRuntime::find(const DeviceSpec& spec) {
  ensure_initialized();
  const bool is_this_process = is_own(spec);
  if (!is_this_process && spec.job.value_or("localhost") != "localhost") return find_of_other_task(spec);
  const std::string type = spec.device_type.value_or(default_device().type());
  if (is_this_process) {
    for (const std::unique_ptr<LogicalDevice>& device : logical_) {
      if (device->type() == type && device->index() == spec.device_index.value_or(0)) return *device;
    }
  }
  if (soft_placement()) {
    for (const std::unique_ptr<LogicalDevice>& device : logical_) {
      if (device->type() == type) return *device;
    }
    return default_device();
  }
  std::vector<std::string> types;
  for (const std::unique_ptr<LogicalDevice>& device : logical_) types.push_back(device->type());
  throw InvalidArgumentError(unsatisfied(
      DeviceSpec{.job = {}, .replica = {}, .task = {}, .device_type = type, .device_index = {}}.merged_with(spec),
      types));
}

bool DeviceRuntime::is_own(const DeviceSpec& spec) {
  if (spec.replica.value_or(0) != 0) return false;
  if (spec.job.value_or("localhost") == "localhost") return spec.task.value_or(0) == 0;
  const std::scoped_lock lock(remote_mutex_);
  return own_task_ && *spec.job == own_task_->first && spec.task.value_or(0) == own_task_->second;
}

LogicalDevice& DeviceRuntime::find_of_other_task(const DeviceSpec& spec) {
  DeviceSpec full = spec;
  if (!full.replica) full.replica = 0;
  if (!full.task) full.task = 0;
  if (!full.device_type) full.device_type = "CPU";
  if (!full.device_index) full.device_index = 0;
  const std::string name = full.to_string();
  if (LogicalDevice* const device = find_remote(name)) return *device;
  const std::scoped_lock lock(remote_mutex_);
  std::string tasks;
  for (const std::string& task : connected_tasks_) tasks += (tasks.empty() ? "" : ", ") + task;
  throw InvalidArgumentError(
      name + " unknown device. " +
      (tasks.empty() ? "This program is not connected to other tasks: call distribute::connect_to_cluster first."
                     : "The connected tasks are [" + tasks + "], with the devices [" +
                           [&] {
                             std::string devices;
                             for (const std::unique_ptr<LogicalDevice>& device : remote_) {
                               devices += (devices.empty() ? "" : ", ") + device->full_name();
                             }
                             return devices;
                           }() +
                           "]."));
}

void DeviceRuntime::add_remote_devices(std::vector<std::unique_ptr<LogicalDevice>> devices, const std::string& task) {
  ensure_initialized();
  for (std::unique_ptr<LogicalDevice>& device : devices) {
    if (find_remote(device->full_name()) != nullptr) continue;
    const std::scoped_lock lock(remote_mutex_);
    remote_.push_back(std::move(device));
  }
  const std::scoped_lock lock(remote_mutex_);
  if (std::find(connected_tasks_.begin(), connected_tasks_.end(), task) == connected_tasks_.end()) {
    connected_tasks_.push_back(task);
  }
}

std::vector<LogicalDevice*> DeviceRuntime::remote_devices() {
  const std::scoped_lock lock(remote_mutex_);
  std::vector<LogicalDevice*> devices;
  for (const std::unique_ptr<LogicalDevice>& device : remote_) devices.push_back(device.get());
  return devices;
}

LogicalDevice* DeviceRuntime::find_remote(std::string_view full_name) {
  const std::scoped_lock lock(remote_mutex_);
  const auto found = std::find_if(remote_.begin(), remote_.end(), [&](const std::unique_ptr<LogicalDevice>& device) {
    return device->full_name() == full_name;
  });
  return found == remote_.end() ? nullptr : found->get();
}

void DeviceRuntime::set_own_task(const std::string& job, int task) {
  const std::scoped_lock lock(remote_mutex_);
  own_task_ = {job, task};
}

std::string DeviceRuntime::unsatisfied(const DeviceSpec& spec, const std::vector<std::string>& supported_types) {
  ensure_initialized();
  const DeviceSpec full =
      DeviceSpec{.job = "localhost", .replica = 0, .task = 0, .device_type = {}, .device_index = {}}.merged_with(spec);
  std::string available;
  for (const std::unique_ptr<LogicalDevice>& device : logical_) {
    available += (available.empty() ? "" : ", ") + device->full_name();
  }
  std::string supported;
  for (const std::string& name :
       std::set<std::string, std::greater<>>(supported_types.begin(), supported_types.end())) {
    supported += (supported.empty() ? "" : ", ") + name;
  }
  return "Could not satisfy device specification '" + full.to_string() +
         "'. enable_soft_placement=0. Supported device types [" + supported + "]. All available devices [" + available +
         "].";
}

DeviceRuntime& device_runtime() {
  // Never destroyed: a tensor in a static variable releases its memory after static destructors have begun.
  alignas(DeviceRuntime) static std::byte memory[sizeof(DeviceRuntime)];
  static DeviceRuntime* const runtime = [] {
    auto* const made = std::construct_at(reinterpret_cast<DeviceRuntime*>(memory));
    made->add_discovery(&load_gpu_module);
    return made;
  }();
  return *runtime;
}

}  // namespace rhyton
