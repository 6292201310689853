#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <rhyton/framework/distribute/mpi/messages.h>
#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::distribute {

/// Sums memory over the processes of a job. The partial sums and their order depend only on the number of elements and
/// of processes, so that every process and every run gets the same bits; MPI recommends that to implementors but does
/// not guarantee it.
class MpiAllReduce {
 public:
  explicit MpiAllReduce(MpiMessages& messages) : messages_(messages) {}

  /// Overwrites `elements` of `dtype` (float32, float64, int32, int64) at `data` with their sums. Integers wrap around.
  void sum(std::byte* data, std::int64_t elements, DType dtype);

 private:
  /// Every process has the complete sum of twice as many processes after each step: few messages.
  void double_recursively(std::span<std::byte> data, DType dtype);
  /// Each process sums half of the data with a partner, half of that with the next one, …, until it has one part of the
  /// complete sums; the parts are gathered in the reverse order: few messages and few bytes. Thakur, Rabenseifner and
  /// Gropp, doi:10.1177/1094342005051521.
  void halve_recursively(std::span<std::byte> data, DType dtype);
  /// Each part travels around the ring of processes and is summed on the way, then the sums travel around the ring: few
  /// bytes. Patarasuk and Yuan, doi:10.1016/j.jpdc.2008.09.002.
  void go_round(std::span<std::byte> data, DType dtype);
  /// Sends to one process while receiving from another, or the same; the received elements are added or replace the old
  /// ones. Sender and receiver must pass the same sizes.
  enum class Arrival : std::uint8_t { add, replace };
  void exchange(std::span<const std::byte> outgoing, int to, std::span<std::byte> incoming, int from, DType dtype,
                Arrival arrival);

  MpiMessages& messages_;
  std::vector<std::byte> received_;
  std::vector<mpi::Request> sends_;
};

}  // namespace rhyton::distribute
