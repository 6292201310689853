#pragma once

#include <functional>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/tensor/storage.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::gpu {

/// How many cards tests of several of them have. The runtime of the tests knows the first one alone.
int card_count();

/// A logical GPU on a card, made when it is first asked for; the same card has one for each `index`, 0 or 1.
LogicalDevice& gpu_of_card(int card, int index = 0);

/// Elements in a GPU's memory, those of a tensor of the host at first. They begin `offset` elements behind an address
/// for packs.
class DeviceElements {
 public:
  DeviceElements(const Tensor& elements, LogicalDevice& device, std::int64_t offset = 0);

  /// Puts the copy of other elements, of the same dtype and not more, into the stream.
  void write(const Tensor& elements);
  /// What is there when all that the stream was given is done.
  Tensor read() const;
  void* data() const;

 private:
  TensorSpec spec_;
  std::int64_t offset_;
  std::shared_ptr<Storage> storage_;
};

/// Calls `body(rank)` on a thread for each rank, waits for all and throws on what the lowest rank has thrown.
void on_each_rank(int ranks, const std::function<void(int rank)>& body);

}  // namespace rhyton::gpu
