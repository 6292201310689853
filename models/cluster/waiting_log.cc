#include <rhyton/models/cluster/waiting_log.h>

#include <fmt/format.h>

#include <rhyton/framework/logging.h>

namespace rhyton::distribute {

void WaitingLog::note(const std::string& what, Clock::time_point now) {
  if (!begin_.has_value()) {
    begin_ = now;
    next_ = now + interval_;
  }
  if (now < next_) return;
  next_ = now + interval_;
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(now - *begin_);
  log_info(fmt::format("Still waiting for {}, for {} s so far", what, waited.count()));
}

}  // namespace rhyton::distribute
