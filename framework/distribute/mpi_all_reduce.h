#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <rhyton/framework/distribute/mpi_messages.h>
#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::distribute {

/// Sums memory over the processes of a job. Which partial sums are taken, and in which order, follows from the number
/// of elements and of processes alone, so that every process and every run gets the same bits; MPI promises that only
/// as advice to implementors.
class MpiAllReduce {
 public:
  explicit MpiAllReduce(MpiMessages& messages) : messages_(messages) {}

  /// Overwrites `elements` of `dtype` (float32, float64, int32, int64) at `data` with their sums. Integers wrap around.
  void sum(std::byte* data, std::int64_t elements, DType dtype);

 private:
  /// Everybody has the whole sum after each step, of twice as many processes each time: few messages.
  void double_recursively(std::span<std::byte> data, DType dtype);
  /// Each process sums half of the data with a partner, half of that with the next one, …, until it has one part of the
  /// whole sums; the parts come together the same way back: few messages and few bytes.
  /// Thakur, Rabenseifner and Gropp, doi:10.1177/1094342005051521.
  void halve_recursively(std::span<std::byte> data, DType dtype);
  /// Each process sums one part, which goes round, and the sums go round again: few bytes.
  /// Patarasuk and Yuan, doi:10.1016/j.jpdc.2008.09.002.
  void go_round(std::span<std::byte> data, DType dtype);
  /// Sends to one process while something comes from another, or the same, and is added or put in place. Both sides
  /// must say the same of what passes between them.
  enum class Arrival : std::uint8_t { add, replace };
  void exchange(std::span<const std::byte> outgoing, int to, std::span<std::byte> incoming, int from, DType dtype,
                Arrival arrival);

  MpiMessages& messages_;
  std::vector<std::byte> received_;
  std::vector<mpi::Request> sends_;
};

}  // namespace rhyton::distribute
