#include <rhyton/framework/distribute/exit_deadline.h>

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace rhyton::distribute {

ExitDeadline::ExitDeadline(std::chrono::nanoseconds time, std::string message)
    : thread_([this, time, text = std::move(message)] {
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, time, [this] { return met_; })) return;
        if (!text.empty()) std::fputs((text + "\n").c_str(), stderr);
        // Skips the functions registered for exit, which might wait again.
        _exit(1);
      }) {}

ExitDeadline::~ExitDeadline() {
  {
    const std::scoped_lock lock(mutex_);
    met_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace rhyton::distribute
