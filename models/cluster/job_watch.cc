#include <rhyton/models/cluster/job_watch.h>

#include <algorithm>

#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>

namespace rhyton::distribute {

std::chrono::milliseconds task_timeout() {
  constexpr double usual = 20;
  const double seconds =
      number_of_environment("RHYTON_WORKER_TIMEOUT", "seconds from 0 (no heartbeat)").value_or(usual);
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

void JobWatch::begin(const std::string& job, int number) {
  {
    const std::scoped_lock lock(mutex_);
    job_ = job;
    number_ = number;
    has_ended_ = false;
    error_.clear();
    heard_ = std::chrono::steady_clock::now();
  }
  changed_.notify_all();
}

void JobWatch::note(const std::string& job) {
  const std::scoped_lock lock(mutex_);
  if (job == job_) heard_ = std::chrono::steady_clock::now();
}

void JobWatch::end(const std::string& job, int number, const std::string& error) {
  {
    const std::scoped_lock lock(mutex_);
    if (job != job_) {
      if (!job_.empty() && !has_ended_) return;
      job_ = job;
      number_ = number;
    } else if (has_ended_) {
      return;  // the first reason counts
    }
    has_ended_ = true;
    error_ = error;
  }
  changed_.notify_all();
}

std::string JobWatch::job() const {
  const std::scoped_lock lock(mutex_);
  return job_;
}

void JobWatch::require(const std::string& job) const {
  const std::scoped_lock lock(mutex_);
  if (job == job_ && !has_ended_) return;
  throw RuntimeError("The call belongs to the job '" + job + "', but the task " +
                     (job_.empty() ? "has none" : "has the job '" + job_ + (has_ended_ ? "', which has ended" : "'")) +
                     ".");
}

bool JobWatch::is_over(int number) const {
  const std::scoped_lock lock(mutex_);
  if (job_.empty() || number_ < number) {
    waiting_log_.note("the chief to begin training number " + std::to_string(number) + " of the program");
    return false;
  }
  waiting_log_.end();
  if (number_ > number) return true;
  if (has_ended_) {
    if (!error_.empty()) throw RuntimeError("The chief has ended the training: " + error_);
    return true;
  }
  const std::chrono::milliseconds limit = task_timeout();
  const auto now = std::chrono::steady_clock::now();
  // After a pause of this process the chief, which may have been stopped with it, has its time again.
  constexpr std::chrono::seconds pause{2};
  if (now - asked_ > pause) heard_ = std::max(heard_, now);
  asked_ = now;
  if (limit.count() > 0 && now - heard_ > limit) {
    throw UnavailableError("The chief is lost: nothing was heard of it for " + std::to_string(limit.count() / 1000) +
                           " s, so it has ended, was stopped or cannot be reached. (RHYTON_WORKER_TIMEOUT sets the "
                           "seconds.)");
  }
  return false;
}

void JobWatch::wait(int number) const {
  while (!is_over(number)) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(200));
  }
}

}  // namespace rhyton::distribute
