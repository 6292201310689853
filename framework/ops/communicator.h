#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <rhyton/framework/device/stream.h>
#include <rhyton/framework/tensor/dtype.h>

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

  /// Leaves the group without the others, for good: a member has failed, and nobody must wait for it. May be called by
  /// another thread.
  virtual void abort() noexcept {}

  /// Who is in the group, for messages: "2 replicas of this process".
  virtual std::string description() const = 0;

 protected:
  Communicator() = default;
};

}  // namespace rhyton
