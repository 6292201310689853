#pragma once

#include <csignal>

namespace rhyton::io {

/// During its lifetime, a write by this thread that exceeds the process's limit on file sizes (`ulimit -f`) fails with
/// EFBIG instead of ending the process (SIGXFSZ). Other threads are not affected. It must be destroyed by the thread
/// that created it.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() noexcept;
  ~NoFileSizeSignal();
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  bool blocked_here_ = false;
};

}  // namespace rhyton::io
