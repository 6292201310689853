#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/device/stream.h>
#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {

/// One member's elements of a sum over a group. Every member has equally many, of the same dtype.
struct ReductionBuffer {
  const void* input = nullptr;
  /// The memory of the sum: the input itself, or memory that overlaps with no input.
  void* output = nullptr;
  std::int64_t elements = 0;
  DType dtype = DType::float32;
};

/// One member's interface to a group that computes together: replicas of one process, or processes. Every member must
/// make the same calls in the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// The number of members; the index of this one, from 0.
  virtual int size() const = 0;
  virtual int rank() const = 0;

  /// Sets the outputs of all members to the sum of their inputs. The order of additions is fixed: every member and
  /// every run gets the same bits. The dtypes are floating ones, int32 and int64. `stream` is the stream of the
  /// memory's device, to which the work is submitted; null where the host computes: the outputs are then complete when
  /// the call returns. Throws where another member has failed.
  virtual void all_reduce(std::span<const ReductionBuffer> buffers, Stream* stream) = 0;

  /// Whether sums run in the background between `begin_all_reduce` and `finish_all_reduce`, while the member computes.
  virtual bool overlaps() const { return false; }

  /// Divides a sum over tensors of these specs into buckets that are transferred while the rest is still computed:
  /// returns the number of tensors of each, in their order; one entry keeps the sum whole. The last bucket is begun
  /// first, as the gradients of the last variables are computed first. A function of the specs alone, the same at every
  /// member.
  virtual std::vector<std::size_t> buckets_of(std::span<const TensorSpec> tensors) const { return {tensors.size()}; }

  /// Begins to set the outputs to the sums of the inputs, in host memory. Inputs and outputs must stay in place,
  /// unmodified, until `finish_all_reduce` returns; if a member fails instead, until the group has been reset. Returns
  /// the number for `finish_all_reduce`; numbers increase by one from call to call. Every member must make these calls
  /// and those of `all_reduce` in the same order; the sums have the same bits as those of `all_reduce`.
  virtual std::int64_t begin_all_reduce(std::span<const ReductionBuffer> buffers) {
    all_reduce(buffers, nullptr);
    return 0;
  }
  /// Waits until the outputs of call `number` are complete and every member of this process has begun call `last` too,
  /// so that none can fail before it: a member that gets one bucket of a step gets all of them. Throws where another
  /// member has failed.
  virtual void finish_all_reduce(std::int64_t number, std::int64_t last) {
    static_cast<void>(number);
    static_cast<void>(last);
  }

  /// Leaves the group without the others, for good: a member has failed, and the others must not wait for it. May be
  /// called by another thread.
  virtual void abort() noexcept {}

  /// The members of the group, for messages: "2 replicas of this process".
  virtual std::string description() const = 0;

 protected:
  Communicator() = default;
};

}  // namespace rhyton
