#include <rhyton/framework/backends/gpu/runtime/provider.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <rhyton/framework/backends/gpu/nccl/group.h>
#include <rhyton/framework/backends/gpu/runtime/check.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>
#include <rhyton/framework/device/best_fit_allocator.h>

namespace rhyton::gpu {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

/// Allocates regions from the driver.
class DriverRegions final : public RegionSource {
 public:
  explicit DriverRegions(int ordinal) : ordinal_(ordinal) {}

  void* take(std::size_t bytes) noexcept override {
    void* region = nullptr;
    if (cudaSetDevice(ordinal_) != cudaSuccess || cudaMalloc(&region, bytes) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return nullptr;
    }
    return region;
  }
  void give_back(void* region, std::size_t) noexcept override {
    cudaSetDevice(ordinal_);
    cudaFree(region);
  }

 private:
  int ordinal_;
};

/// The memory that is free now; the rest is used by the driver and other processes.
std::size_t free_memory(int ordinal) {
  check(cudaSetDevice(ordinal), "cudaSetDevice");
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

/// The memory to take of a GPU as a whole: nearly all, less a reserve for libraries.
std::size_t nearly_all(std::size_t free) { return free - std::min(free, std::max(300 * megabyte, free / 20)); }

cudaDeviceProp properties_of(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  return properties;
}

std::string bus_id_of(int ordinal) {
  char text[32] = {};
  check(cudaDeviceGetPCIBusId(text, sizeof text, ordinal), "cudaDeviceGetPCIBusId");
  return text;
}

/// The file that contains a function.
template <class Function>
std::string file_of(Function* function) {
  Dl_info info{};
  const bool found = dladdr(reinterpret_cast<const void*>(function), &info) != 0 && info.dli_fname != nullptr;
  return found ? info.dli_fname : "an unknown file";
}

/// 13010 as "13.1".
std::string cuda_version(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace

DeviceDetails GpuProvider::details(int physical_index) {
  const cudaDeviceProp properties = properties_of(physical_index);
  return {.device_name = properties.name, .compute_capability = {{properties.major, properties.minor}}};
}

std::size_t GpuProvider::total_memory(int physical_index) { return properties_of(physical_index).totalGlobalMem; }

std::unique_ptr<LogicalDevice> GpuProvider::make_logical_device(int index, int physical_index,
                                                                const DeviceMemory& memory) {
  // The stream first: it creates the context, which takes memory of its own.
  auto stream = std::make_unique<GpuStream>(physical_index);
  BestFitOptions options{.limit = memory.limit, .growth = memory.growth};
  if (!memory.growth && !memory.limit) options.limit = nearly_all(free_memory(physical_index));
  auto allocator =
      std::make_unique<BestFitAllocator>(std::make_unique<DriverRegions>(physical_index),
                                         full_device_name(type_, index), fmt::format("GPU_{}_bfc", index), options);
  return std::make_unique<LogicalDevice>(type_, index, physical_index, std::move(allocator), std::move(stream));
}

std::string GpuProvider::make_communicator_id() { return gpu::make_communicator_id(); }

std::shared_ptr<Communicator> GpuProvider::join_communicator(LogicalDevice& device, const std::string& id, int size,
                                                             int rank) {
  return gpu::join_communicator(device, id, size, rank);
}

bool GpuProvider::can_join(std::span<LogicalDevice* const> devices) { return gpu::can_join(devices); }

std::string describe_gpu(int ordinal) {
  const cudaDeviceProp properties = properties_of(ordinal);
  return fmt::format(
      "GPU {}: name: {}, pci bus id: {}, compute capability: {}.{}, memory: {} MB, of which {} MB are free", ordinal,
      properties.name, bus_id_of(ordinal), properties.major, properties.minor, properties.totalGlobalMem / megabyte,
      free_memory(ordinal) / megabyte);
}

std::vector<std::string> describe_libraries() {
  int driver = 0;
  int runtime = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  const std::size_t dnn = cudnnGetVersion();
  return {
      fmt::format("driver for CUDA {}; CUDA runtime {}, in {}", cuda_version(driver), cuda_version(runtime),
                  file_of(&describe_libraries)),
      fmt::format("cuDNN {}.{}.{}, in {}", dnn / 10000, dnn / 100 % 100, dnn % 100, file_of(&cudnnGetVersion)),
      fmt::format("cuBLASLt {}, in {}", cublasLtGetVersion(), file_of(&cublasLtGetVersion)),
  };
}

}  // namespace rhyton::gpu
