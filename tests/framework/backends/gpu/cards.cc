#include <rhyton/tests/framework/backends/gpu/cards.h>

#include <cuda_runtime.h>

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <rhyton/framework/backends/gpu/runtime/check.h>
#include <rhyton/framework/backends/gpu/runtime/provider.h>

namespace rhyton::gpu {

int card_count() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

LogicalDevice& gpu_of_card(int card, int index) {
  static std::mutex mutex;
  using Devices = std::map<std::pair<int, int>, std::unique_ptr<LogicalDevice>>;
  // Never destroyed: at the end of the program the libraries whose handles the devices own may already be unloaded.
  static Devices& made = *std::make_unique<Devices>().release();
  const std::scoped_lock lock(mutex);
  std::unique_ptr<LogicalDevice>& device = made[{card, index}];
  if (device == nullptr) {
    // Above the numbers of the runtime's own devices.
    const int number = 10 + 2 * card + index;
    device = GpuProvider(card_count()).make_logical_device(number, card, {.limit = std::size_t{64} << 20});
  }
  return *device;
}

DeviceElements::DeviceElements(const Tensor& elements, LogicalDevice& device, std::int64_t offset)
    : spec_(elements.spec()),
      offset_(offset),
      storage_(Storage::allocate(spec_.bytes() + static_cast<std::size_t>(offset) * size_of(spec_.dtype), device)) {
  write(elements);
}

void DeviceElements::write(const Tensor& elements) {
  storage_->device().stream().copy_from_host(data(), elements.raw_data(), elements.spec().bytes());
}

Tensor DeviceElements::read() const {
  Tensor elements = Tensor::uninitialized(spec_.shape, spec_.dtype);
  storage_->device().stream().copy_to_host(elements.mutable_raw_data(), data(), spec_.bytes());
  return elements;
}

void* DeviceElements::data() const {
  return static_cast<std::byte*>(storage_->data()) + static_cast<std::size_t>(offset_) * size_of(spec_.dtype);
}

std::vector<double> values_of(const Tensor& elements) {
  const Tensor exact = elements.cast(float64);
  return {exact.data<double>(), exact.data<double>() + exact.size()};
}

void on_each_rank(int ranks, const std::function<void(int rank)>& body) {
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(rank);
      } catch (...) {
        thrown[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& each : thrown) {
    if (each != nullptr) std::rethrow_exception(each);
  }
}

}  // namespace rhyton::gpu
