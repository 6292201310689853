#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>

#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/models/cluster/job_watch.h>

namespace rhyton::distribute {

/// What a worker does for the chief: it calls functions of the program, on the thread that serves them, one at a time.
/// All others are called on threads of the transport.
class WorkerService final : public TaskService {
 public:
  using Function = std::function<TaskReply(const TaskCall&)>;

  /// The task has that number in that cluster.
  WorkerService(ClusterSpec cluster, TaskSpec task);

  TaskGreeting greet(const TaskGreeting& caller) override;
  /// "begin", "ping" and "end" as of a server; everything else is a function that `serve` was given. The answer has
  /// "ready": whether the worker serves the job of that number and is free. An error of a function is a part of the
  /// answer, "error", with "is_unavailable" if another task was the cause.
  TaskReply call(const TaskCall& call, const std::stop_token& stop) override;

  /// Serves these functions to the chief's job of that number until the chief ends it; "begin" is called first, with
  /// what the chief has to say of the job. Throws as `JobWatch::is_over`.
  void serve(int number, const std::map<std::string, Function>& functions);
  /// Is requested to stop when the chief ends the job: for calls of functions that wait for other tasks.
  std::stop_token stop_token();

 private:
  struct Request {
    const TaskCall& call;
    TaskReply reply = {};
    bool is_done = false;
  };

  TaskReply begin(const TaskCall& call);
  /// Has the serving thread call the function. The caller holds the lock.
  TaskReply run(const TaskCall& call, std::unique_lock<std::mutex>& lock);
  static TaskReply answer(const Function& function, const TaskCall& call);

  const ClusterSpec cluster_;
  const TaskSpec task_;
  JobWatch watch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  /// That of the job that is served; 0: none.
  int number_ = 0;
  /// What the serving thread has to do, or does.
  Request* request_ = nullptr;
  std::stop_source stop_;
};

}  // namespace rhyton::distribute
