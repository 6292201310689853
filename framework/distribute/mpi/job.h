#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/mpi/library.h>

namespace rhyton::distribute {

/// This process's rank among the processes that mpirun has started.
class MpiJob {
 public:
  /// Needs an initialised MPI; called by all processes.
  explicit MpiJob(const MpiLibrary& library);

  const MpiLibrary& library() const { return library_; }
  int size() const { return size_; }
  int rank() const { return rank_; }
  /// For messages: "rank 1 (host node-7)".
  std::string name_of(int rank) const;

  /// Ends all processes of the job after writing `rhyton: rank R of N (host H): message` to standard error. May be
  /// called from any thread.
  [[noreturn]] void fail(const std::string& message) const;
  /// Whether this process has begun to end the job.
  bool has_failed() const { return failed_; }
  /// Calls `fail` unless `code`, the return value of that MPI function, is success.
  void check(int code, const char* function) const;

 private:
  const MpiLibrary& library_;
  int size_ = 1;
  int rank_ = 0;
  std::vector<std::string> hosts_;
  mutable std::atomic<bool> failed_ = false;
};

}  // namespace rhyton::distribute
