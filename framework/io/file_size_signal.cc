#include <rhyton/framework/io/file_size_signal.h>

#include <pthread.h>

#include <cerrno>
#include <ctime>

namespace rhyton::io {
namespace {

sigset_t file_size_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  return signals;
}

}  // namespace

NoFileSizeSignal::NoFileSizeSignal() noexcept {
  const sigset_t signals = file_size_signal();
  sigset_t before;
  blocked_here_ = pthread_sigmask(SIG_BLOCK, &signals, &before) == 0 && sigismember(&before, SIGXFSZ) == 0;
}

NoFileSizeSignal::~NoFileSizeSignal() {
  if (!blocked_here_) return;
  const int error = errno;
  const sigset_t signals = file_size_signal();
  // A signal that is pending was already reported by the failed write.
  const timespec at_once{};
  while (sigtimedwait(&signals, nullptr, &at_once) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  errno = error;
}

}  // namespace rhyton::io
