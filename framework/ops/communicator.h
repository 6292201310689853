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

/// One member's elements of a sum over a group. Every member has as many, of the same dtype.
struct ReductionBuffer {
  const void* input = nullptr;
  /// Where the sum goes: the input itself, or memory that overlaps with no input.
  void* output = nullptr;
  std::int64_t elements = 0;
  DType dtype = DType::float32;
};

/// One member's side of a group that computes together: replicas of one process, or processes. Every member must make
/// the same calls in the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// The members; the number of this one, from 0.
  virtual int size() const = 0;
  virtual int rank() const = 0;

  /// Sets the outputs of all members to the sum of their inputs. The order of additions is fixed: every member gets the
  /// same bits, and so does every run. The dtypes are floating ones, int32 and int64. `stream` is the queue of the
  /// device that the memory is on, into which the work goes; null where the host computes: the outputs are then there
  /// when the call returns. Throws where another member has failed.
  virtual void all_reduce(std::span<const ReductionBuffer> buffers, Stream* stream) = 0;

  /// Whether sums go on by themselves between `begin_all_reduce` and `finish_all_reduce`, while the member computes.
  virtual bool overlaps() const { return false; }

  /// How a sum over tensors of these specs is cut into buckets that travel while the rest is still computed: how many
  /// tensors each takes, in their order, one entry where the sum stays whole. The last bucket is begun first, as the
  /// gradients of the last variables are there first. A function of the specs alone, the same at every member.
  virtual std::vector<std::size_t> buckets_of(std::span<const TensorSpec> tensors) const { return {tensors.size()}; }

  /// Begins to set the outputs to the sums of the inputs, in memory of the host. Inputs and outputs must stay in place,
  /// untouched, until `finish_all_reduce` returns; where a member fails instead, until the group has been reset.
  /// Returns the number under which it is finished; numbers grow by one from call to call. Counts as a call that every
  /// member makes in the same order, `all_reduce` included; the sums have the bits that `all_reduce` gives.
  virtual std::int64_t begin_all_reduce(std::span<const ReductionBuffer> buffers) {
    all_reduce(buffers, nullptr);
    return 0;
  }
  /// Waits until the outputs of call `number` are there and every member of this process has begun call `last` too, so
  /// that none can fail any more before it: who has seen one bucket of a step will see all of them. Throws where
  /// another member has failed.
  virtual void finish_all_reduce(std::int64_t number, std::int64_t last) {
    static_cast<void>(number);
    static_cast<void>(last);
  }

  /// Leaves the group without the others, for good: a member has failed, and nobody must wait for it. May be called by
  /// another thread.
  virtual void abort() noexcept {}

  /// Who is in the group, for messages: "2 replicas of this process".
  virtual std::string description() const = 0;

 protected:
  Communicator() = default;
};

}  // namespace rhyton
