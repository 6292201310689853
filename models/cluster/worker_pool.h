#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <rhyton/models/cluster/remote_task.h>

namespace rhyton::distribute {

/// The workers of a job, seen from the chief: a thread for each gives it closures from one queue. The closure of a
/// worker that is lost goes to another one; a worker that comes back joins. Servers are watched too: one that is lost
/// ends the job.
class WorkerPool {
 public:
  struct Options {
    ClusterSpec cluster;
    TaskSpec own_task;
    TransportOptions transport;
    /// The name and the number of the job, as for `JobWatch`.
    std::string job;
    int number = 0;
    /// What else workers are told when they join.
    io::Json description = io::Json::object();
    std::vector<RemoteTask> servers = {};
    /// The time after which the closure of a worker goes to another one; 0: any time.
    std::chrono::milliseconds closure_timeout{0};
  };
  /// A call of a function of the workers' program. `id` is unique and increases; `all_done_below`, which is told to the
  /// worker with it, is the lowest id that is not done.
  struct Closure {
    std::int64_t id = 0;
    TaskCall call;
    /// Called once, on a thread of the pool.
    std::function<void(TaskReply)> on_done;
    /// Called instead if it is cancelled, by an error of another one.
    std::function<void()> on_cancelled = {};
  };
  struct Counts {
    /// The workers that take part now.
    int workers = 0;
    /// How often a worker was lost, and a closure given to another one.
    std::int64_t lost = 0;
    std::int64_t repeated = 0;
  };

  explicit WorkerPool(Options options);
  /// Tells the workers that the job has ended, without an error unless `end` was called.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Throws the error of a closure or the loss of a server, if there was one; that of a closure is then forgotten.
  void schedule(Closure closure);
  /// Waits until all closures are done. Throws as `schedule`.
  void join();
  /// Whether all are. Throws as `schedule`.
  bool done();
  /// Waits until `condition`, which is called with the pool's lock held, or an error, which it throws.
  void wait_until(const std::function<bool()>& condition);
  /// Wakes up `wait_until`, with `change` done under the pool's lock.
  void change(const std::function<void()>& change);
  /// Leaves out those closures that no worker has begun, and forgets the others: their results are still reported.
  void cancel(const std::vector<std::int64_t>& ids);
  Counts counts() const;
  /// Ends the job: workers leave, with that error unless it is empty. They call their function "leave" before, if there
  /// is no error.
  void end(const std::string& error);
  /// Ends a job that could not begin, with that error, for those workers that are there.
  static void end_without(const Options& options, const std::string& error);

 private:
  static std::shared_ptr<RemoteTask> connect(const Options& options, int index, std::chrono::milliseconds timeout);
  /// Calls "leave" or "end" of all workers; for the end it connects with those that have not come, if they are there.
  static void tell(const Options& options, std::vector<std::shared_ptr<RemoteTask>>& tasks, const char* function,
                   const std::string& error, std::chrono::milliseconds timeout);
  void work(const std::stop_token& stop, int index);
  std::shared_ptr<RemoteTask> join_job(const std::stop_token& stop, int index, bool& was_lost);
  void run_closure(const std::stop_token& stop, int index, const std::shared_ptr<RemoteTask>& task, Closure closure,
                   bool& is_lost);
  void ping(const std::stop_token& stop, int index);
  void watch_server(const std::stop_token& stop, const RemoteTask& server);
  /// The end of the job, if `is_final`, or the error of a closure, which cancels all others.
  void fail(std::exception_ptr error, bool is_final);
  void rethrow(std::unique_lock<std::mutex>& lock);
  std::int64_t all_done_below() const;

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Closure> queue_;
  /// Those that are queued or run.
  std::set<std::int64_t> pending_;
  std::int64_t next_id_ = 0;
  std::exception_ptr error_;
  bool is_final_ = false;
  Counts counts_;
  std::vector<std::shared_ptr<RemoteTask>> tasks_;
  /// Stops a worker's call that takes too long, and when it began.
  std::vector<std::stop_source> calls_;
  std::vector<std::chrono::steady_clock::time_point> begun_;
  bool has_ended_ = false;
  // Last: they use everything else.
  std::vector<std::jthread> threads_;
};

/// A name for a job that no other one has.
std::string new_job_name();
/// The message of the end of a job whose server is lost. `reason` names the server.
std::string text_of_lost_server(const std::string& reason);

}  // namespace rhyton::distribute
