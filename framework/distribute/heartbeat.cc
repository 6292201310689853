#include <rhyton/framework/distribute/heartbeat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <rhyton/framework/distribute/exit_deadline.h>
#include <rhyton/framework/environment.h>

namespace rhyton::distribute {
namespace {

using std::chrono::milliseconds;

constexpr int heartbeat_tag = 0;

/// Ends of processes are received even without a time-out.
std::chrono::steady_clock::duration interval_for(milliseconds timeout) {
  constexpr milliseconds longest(1000);
  return timeout == milliseconds::zero() ? longest : std::clamp(timeout / 8, milliseconds(10), longest);
}

std::string seconds_text(std::chrono::steady_clock::duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time + milliseconds(500)).count()) + " s";
}

}  // namespace

void Silence::pass(Duration time) { lasted_ += std::min(time, 2 * interval_); }

milliseconds worker_timeout() {
  constexpr double usual = 20;
  const double seconds =
      number_of_environment("RHYTON_WORKER_TIMEOUT", "seconds from 0 (no heartbeat)").value_or(usual);
  return milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000.0)));
}

Heartbeat::Heartbeat(const MpiJob& job, milliseconds timeout)
    : job_(job),
      library_(job.library()),
      next_((job.rank() + 1) % job.size()),
      previous_((job.rank() + job.size() - 1) % job.size()),
      timeout_(timeout),
      interval_(interval_for(timeout)),
      silence_(interval_) {
  if (job.size() == 1) return;
  job.check(library_.comm_dup(library_.world, &communicator_), "MPI_Comm_dup");
  job.check(library_.comm_set_errhandler(communicator_, library_.errors_return), "MPI_Comm_set_errhandler");
  thread_ = std::thread([this] { run(); });
}

Heartbeat::~Heartbeat() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void Heartbeat::run() {
  Clock::time_point last = Clock::now();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    beat();
    receive_all();
    const Clock::time_point now = Clock::now();
    blame_silent(now - last);
    last = now;
    lock.lock();
    stop_.wait_for(lock, interval_, [this] { return stopping_; });
  }
}

void Heartbeat::beat() {
  // No further message while the last one is not delivered: they would only fill memory.
  if (last_beat_ != nullptr && !is_sent(*last_beat_)) return;
  last_beat_ = begin_send({.kind = Kind::beat}, next_);
}

void Heartbeat::receive_all() {
  for (;;) {
    int there = 0;
    mpi::Status status;
    job_.check(library_.iprobe(mpi::any_source, heartbeat_tag, communicator_, &there, &status), "MPI_Iprobe");
    if (there == 0) return;
    Message message;
    const int source = status.source;
    job_.check(library_.recv(&message, sizeof message, library_.byte, source, heartbeat_tag, communicator_, &status),
               "MPI_Recv");
    if (source == previous_) silence_.heard();
    if (message.kind == Kind::last) heard_last_ = true;
    if (message.kind != Kind::end_of_calls) continue;
    ++ends_heard_;
    if (message.calls < fewest_calls_.load()) {
      first_to_end_ = source;
      fewest_calls_ = message.calls;
    }
  }
}

void Heartbeat::blame_silent(Clock::duration time) {
  if (timeout_ == milliseconds::zero()) return;
  silence_.pass(time);
  if (silence_.lasted() < timeout_) return;
  job_.fail(job_.name_of(previous_) + " is lost: nothing was heard of it for " + seconds_text(silence_.lasted()) +
            ", so it was stopped or cannot be reached. (RHYTON_WORKER_TIMEOUT sets the seconds.)");
}

void Heartbeat::expect_calls(std::int64_t calls) const {
  if (calls <= fewest_calls_.load()) return;
  job_.fail(job_.name_of(first_to_end_) + " has come to its end early: this process waits for it in call " +
            std::to_string(calls) + " that all processes make together, and it has made " +
            std::to_string(fewest_calls_.load()) + ".");
}

void Heartbeat::leave(std::int64_t calls) {
  if (!thread_.joinable()) return;
  std::vector<std::unique_ptr<Outgoing>> outgoing;
  for (int rank = 0; rank < job_.size(); ++rank) {
    if (rank != job_.rank()) outgoing.push_back(begin_send({.kind = Kind::end_of_calls, .calls = calls}, rank));
  }
  // The thread continues meanwhile: a process that is lost now must still be noticed.
  mpi::Request barrier = library_.no_request;
  job_.check(library_.ibarrier(communicator_, &barrier), "MPI_Ibarrier");
  for (int done = 0, looks = 0; done == 0; ++looks) {
    job_.check(library_.test(&barrier, &done, nullptr), "MPI_Test");
    if (done == 0) std::this_thread::sleep_for(std::chrono::microseconds(looks < 100 ? 50 : 2000));
  }

  const ExitDeadline deadline(std::max<milliseconds>(timeout_, milliseconds(5000)),
                              "rhyton: rank " + std::to_string(job_.rank()) +
                                  ": a process of the job was lost while all of them came to their end.");
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
  // MPI requires that every message be received before the end.
  if (last_beat_ != nullptr) outgoing.push_back(std::move(last_beat_));
  outgoing.push_back(begin_send({.kind = Kind::last}, next_));
  while (!heard_last_ || ends_heard_ < job_.size() - 1) {
    receive_all();
    std::this_thread::yield();
  }
  for (const std::unique_ptr<Outgoing>& message : outgoing) {
    while (!is_sent(*message)) std::this_thread::yield();
  }
}

std::unique_ptr<Heartbeat::Outgoing> Heartbeat::begin_send(Message message, int to) const {
  auto outgoing = std::make_unique<Outgoing>(Outgoing{.message = message, .request = library_.no_request});
  job_.check(library_.isend(&outgoing->message, sizeof(Message), library_.byte, to, heartbeat_tag, communicator_,
                            &outgoing->request),
             "MPI_Isend");
  return outgoing;
}

bool Heartbeat::is_sent(Outgoing& outgoing) const {
  int done = 0;
  job_.check(library_.test(&outgoing.request, &done, nullptr), "MPI_Test");
  return done != 0;
}

}  // namespace rhyton::distribute
