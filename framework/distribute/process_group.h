#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/ops/communicator.h>

namespace rhyton::distribute {

/// The processes of a job, which run the same program. Every process must call all functions but `fail`, in the same
/// order, by one thread at a time. A process that is lost ends the job: the others do not return from here.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  virtual int size() const = 0;
  virtual int rank() const = 0;

  /// Sums host memory over all processes, as `Communicator::all_reduce` does; in place where input and output are the
  /// same.
  virtual void all_reduce(std::span<const ReductionBuffer> buffers) = 0;
  /// Overwrites the bytes of all processes with those of process `root`.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// The texts of all processes, by rank; of any length.
  virtual std::vector<std::string> all_gather(const std::string& own) = 0;
  /// Waits until all processes have called it.
  virtual void barrier() = 0;

  /// Ends the whole job, all processes of it, with a message that names this process; does not return.
  [[noreturn]] virtual void fail(const std::string& message) = 0;

 protected:
  ProcessGroup() = default;
};

}  // namespace rhyton::distribute
