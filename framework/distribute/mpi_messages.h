#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <rhyton/framework/distribute/mpi_job.h>

namespace rhyton::distribute {

/// Bytes between the processes of a job, and the waiting for them: it spins for a moment, since answers mostly come
/// within microseconds, and then leaves the core to others, as ranks may share one.
class MpiMessages {
 public:
  /// Over `communicator`. `look` is called now and then while a wait takes long; it may end the job.
  MpiMessages(const MpiJob& job, mpi::Communicator communicator, std::function<void()> look);

  int size() const { return job_.size(); }
  int rank() const { return job_.rank(); }

  /// Bytes that one message holds at most.
  static constexpr std::size_t max_bytes = std::size_t{64} << 20;

  /// Begins to send, to receive. Messages from one process to another arrive in order; one that is received has the
  /// length of the one that was sent. The bytes must stay in place until `wait` returns.
  mpi::Request send(std::span<const std::byte> bytes, int to);
  mpi::Request receive(std::span<std::byte> bytes, int from);
  /// Begins to overwrite everybody's bytes with those of `root`; one message's worth.
  mpi::Request broadcast(std::span<std::byte> bytes, int root);
  /// Begins to gather `own`, of equal length everywhere, by rank.
  mpi::Request all_gather(std::span<const std::byte> own, std::span<std::byte> all);
  mpi::Request barrier();

  /// Waits until all of them are done.
  void wait(std::span<mpi::Request> requests);
  void wait(mpi::Request request) { wait({&request, 1}); }

 private:
  const MpiJob& job_;
  const MpiLibrary& library_;
  mpi::Communicator communicator_;
  std::function<void()> look_;
};

}  // namespace rhyton::distribute
