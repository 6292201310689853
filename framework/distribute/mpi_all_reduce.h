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
  /// Each process sums one part, which goes round, and the sums go round again: few bytes.
  /// Patarasuk and Yuan, doi:10.1016/j.jpdc.2008.09.002.
  void go_round(std::span<std::byte> data, DType dtype);
  /// Sends one part to the next process while the other comes from the one before, and is added or put in place.
  enum class Arrival : std::uint8_t { add, replace };
  void pass_on(std::span<const std::byte> outgoing, std::span<std::byte> incoming, DType dtype, Arrival arrival);

  MpiMessages& messages_;
  std::vector<std::byte> received_;
  std::vector<mpi::Request> sends_;
};

}  // namespace rhyton::distribute
