#pragma once

#include <csignal>

namespace rhyton::io {

/// While one lives, a file that becomes larger than the process may make files (`ulimit -f`) does not end the process
/// (SIGXFSZ) when this thread writes it: the write fails with EFBIG instead. Other threads are not affected. It is to
/// be destroyed by the thread that made it.
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
