#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <rhyton/framework/distribute/mpi/job.h>

namespace rhyton::distribute {

/// Messages between the processes of a job. A wait first spins, since answers usually come within microseconds, and
/// then yields the core, as ranks may share one.
class MpiMessages {
 public:
  /// Over `communicator`. `look` is called from time to time during a long wait; it may end the job.
  MpiMessages(const MpiJob& job, mpi::Communicator communicator, std::function<void()> look);

  int size() const { return job_.size(); }
  int rank() const { return job_.rank(); }

  /// The maximum bytes of one message.
  static constexpr std::size_t max_bytes = std::size_t{64} << 20;

  /// Begin to send, to receive. Messages from one process to another arrive in order; a message is received with the
  /// length it was sent with. The bytes must stay in place until `wait` returns.
  mpi::Request send(std::span<const std::byte> bytes, int to);
  mpi::Request receive(std::span<std::byte> bytes, int from);
  /// Begins to overwrite the bytes of all processes with those of `root`; the maximum is one message.
  mpi::Request broadcast(std::span<std::byte> bytes, int root);
  /// Begins to gather `own`, of equal length in all processes, by rank.
  mpi::Request all_gather(std::span<const std::byte> own, std::span<std::byte> all);
  mpi::Request barrier();

  /// Waits until all requests are complete.
  void wait(std::span<mpi::Request> requests);
  void wait(mpi::Request request) { wait({&request, 1}); }

 private:
  const MpiJob& job_;
  const MpiLibrary& library_;
  mpi::Communicator communicator_;
  std::function<void()> look_;
};

}  // namespace rhyton::distribute
