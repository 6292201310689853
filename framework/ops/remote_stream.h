#pragma once

#include <span>
#include <vector>

#include <rhyton/framework/device/stream.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton {

/// The stream of a device of another task: ops are sent there, by name and attributes. All of its calls are complete
/// when they return.
class RemoteStream : public Stream {
 public:
  /// Computes the op from tensors in the device's memory. Throws what the other task throws, with op and device, and
  /// NotImplementedError for an op that cannot be sent.
  virtual void run(const Op& op, std::span<const TensorView> inputs, std::span<const TensorView> outputs) = 0;
};

/// The kernel of every op on a device of another task.
const Kernel& remote_kernel();

}  // namespace rhyton
