#pragma once

#include <functional>
#include <vector>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/tensor/storage.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::gpu {

/// The number of cards for tests with several of them. The runtime of the tests has only the first one.
int card_count();

/// A logical GPU on a card, created at first use; each card has one for each `index`, 0 or 1.
LogicalDevice& gpu_of_card(int card, int index = 0);

/// Elements in a GPU's memory, initially those of a host tensor. They begin `offset` elements after an address aligned
/// for packs.
class DeviceElements {
 public:
  DeviceElements(const Tensor& elements, LogicalDevice& device, std::int64_t offset = 0);

  /// Submits a copy of other elements, of the same dtype and not more, to the stream.
  void write(const Tensor& elements);
  /// The elements after all work submitted to the stream is done.
  Tensor read() const;
  void* data() const;

 private:
  TensorSpec spec_;
  std::int64_t offset_;
  std::shared_ptr<Storage> storage_;
};

/// The elements as doubles.
std::vector<double> values_of(const Tensor& elements);

/// Calls `body(rank)` on a thread for each rank, waits for all and rethrows the exception of the lowest rank.
void on_each_rank(int ranks, const std::function<void(int rank)>& body);

}  // namespace rhyton::gpu
