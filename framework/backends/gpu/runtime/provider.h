#pragma once

#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/device/device_runtime.h>

namespace rhyton::gpu {

/// The GPUs that CUDA reports, in its order.
class GpuProvider final : public DeviceProvider {
 public:
  explicit GpuProvider(int device_count) : device_count_(device_count) {}

  const std::string& type() const override { return type_; }
  int physical_device_count() override { return device_count_; }
  DeviceDetails details(int physical_index) override;
  std::size_t total_memory(int physical_index) override;
  std::unique_ptr<LogicalDevice> make_logical_device(int index, int physical_index,
                                                     const DeviceMemory& memory) override;
  std::string make_communicator_id() override;
  std::shared_ptr<Communicator> join_communicator(LogicalDevice& device, const std::string& id, int size,
                                                  int rank) override;
  bool can_join(std::span<LogicalDevice* const> devices) override;

 private:
  std::string type_ = "GPU";
  int device_count_;
};

/// The properties of a GPU for diagnosis: name, compute capability, memory, PCI bus id.
std::string describe_gpu(int ordinal);

/// The versions of the driver and the libraries, and the files that the libraries were loaded from, a line each.
std::vector<std::string> describe_libraries();

}  // namespace rhyton::gpu
