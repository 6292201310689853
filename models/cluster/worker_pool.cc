#include <rhyton/models/cluster/worker_pool.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/logging.h>
#include <rhyton/models/cluster/job_watch.h>
#include <rhyton/models/cluster/waiting_log.h>

namespace rhyton::distribute {
namespace {

constexpr std::chrono::milliseconds ping_interval{1000};
/// A worker that does not answer in this time is asked again later.
constexpr std::chrono::milliseconds greeting_timeout{5000};
/// For workers to take over the last values, and to note the end.
constexpr std::chrono::milliseconds leaving_timeout{10000};
constexpr std::chrono::milliseconds ending_timeout{2000};
/// For a worker that has not come, but may just have been started.
constexpr std::chrono::milliseconds farewell_timeout{3000};

/// Waits; false if a stop is requested meanwhile.
bool pause(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  return !changed.wait_for(lock, stop, time, [] { return false; }) && !stop.stop_requested();
}

}  // namespace

std::string new_job_name() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

std::string text_of_lost_server(const std::string& reason) {
  return "A parameter server is lost, and with it its variables: " + reason +
         " The training ends. Started again with callbacks::BackupAndRestore, it goes on from its last backup.";
}

WorkerPool::WorkerPool(Options options) : options_(std::move(options)) {
  const int workers = options_.cluster.num_tasks("worker");
  tasks_.resize(static_cast<std::size_t>(workers));
  calls_.resize(tasks_.size());
  begun_.resize(tasks_.size());
  for (int i = 0; i < workers; ++i) {
    threads_.emplace_back([this, i](const std::stop_token& stop) { work(stop, i); });
    threads_.emplace_back([this, i](const std::stop_token& stop) { ping(stop, i); });
  }
  for (const RemoteTask& server : options_.servers) {
    threads_.emplace_back([this, &server](const std::stop_token& stop) { watch_server(stop, server); });
  }
}

WorkerPool::~WorkerPool() { end(""); }

void WorkerPool::end(const std::string& error) {
  {
    const std::scoped_lock lock(mutex_);
    if (has_ended_) return;
    has_ended_ = true;
    queue_.clear();
    for (const std::stop_source& call : calls_) call.request_stop();
  }
  for (std::jthread& thread : threads_) thread.request_stop();
  changed_.notify_all();
  threads_.clear();
  if (error.empty()) tell(options_, tasks_, "leave", error, leaving_timeout);
  tell(options_, tasks_, "end", error, ending_timeout);
}

void WorkerPool::end_without(const Options& options, const std::string& error) {
  std::vector<std::shared_ptr<RemoteTask>> no_tasks(static_cast<std::size_t>(options.cluster.num_tasks("worker")));
  tell(options, no_tasks, "end", error, ending_timeout);
}

void WorkerPool::tell(const Options& options, std::vector<std::shared_ptr<RemoteTask>>& tasks, const char* function,
                      const std::string& error, std::chrono::milliseconds timeout) {
  // Only those that have worked have values to take over.
  const bool is_leaving = std::string(function) == "leave";
  std::vector<std::jthread> threads;
  for (std::size_t at = 0; at < tasks.size(); ++at) {
    threads.emplace_back([&, at] {
      try {
        if (tasks[at] == nullptr && is_leaving) return;
        if (tasks[at] == nullptr) tasks[at] = connect(options, static_cast<int>(at), farewell_timeout);
        tasks[at]->call(
            {.function = function,
             .arguments = io::Json::object({{"job", options.job}, {"number", options.number}, {"error", error}}),
             .timeout = timeout});
      } catch (const Error&) {
        return;  // it is lost, and ends by itself
      }
    });
  }
}

void WorkerPool::schedule(Closure closure) {
  {
    std::unique_lock lock(mutex_);
    rethrow(lock);
    pending_.insert(closure.id);
    next_id_ = closure.id + 1;
    queue_.push_back(std::move(closure));
  }
  changed_.notify_all();
}

void WorkerPool::join() {
  wait_until([this] { return pending_.empty(); });
}

bool WorkerPool::done() {
  std::unique_lock lock(mutex_);
  rethrow(lock);
  return pending_.empty();
}

void WorkerPool::wait_until(const std::function<bool()>& condition) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return error_ != nullptr || condition(); });
  rethrow(lock);
}

void WorkerPool::change(const std::function<void()>& change) {
  {
    const std::scoped_lock lock(mutex_);
    change();
  }
  changed_.notify_all();
}

void WorkerPool::cancel(const std::vector<std::int64_t>& ids) {
  const std::scoped_lock lock(mutex_);
  for (const std::int64_t id : ids) {
    pending_.erase(id);
    std::erase_if(queue_, [&](const Closure& closure) { return closure.id == id; });
  }
}

WorkerPool::Counts WorkerPool::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

void WorkerPool::rethrow(std::unique_lock<std::mutex>& /*lock*/) {
  if (error_ == nullptr) return;
  const std::exception_ptr error = error_;
  if (!is_final_) error_ = nullptr;
  std::rethrow_exception(error);
}

std::int64_t WorkerPool::all_done_below() const { return pending_.empty() ? next_id_ : *pending_.begin(); }

void WorkerPool::fail(std::exception_ptr error, bool is_final) {
  std::vector<Closure> cancelled;
  {
    const std::scoped_lock lock(mutex_);
    if (is_final_) return;
    if (error_ == nullptr || is_final) error_ = std::move(error);
    is_final_ = is_final;
    for (Closure& closure : queue_) {
      pending_.erase(closure.id);
      cancelled.push_back(std::move(closure));
    }
    queue_.clear();
  }
  for (const Closure& closure : cancelled) {
    if (closure.on_cancelled) closure.on_cancelled();
  }
  changed_.notify_all();
}

void WorkerPool::work(const std::stop_token& stop, int index) {
  const auto at = static_cast<std::size_t>(index);
  bool was_lost = false;
  while (!stop.stop_requested()) {
    const std::shared_ptr<RemoteTask> task = join_job(stop, index, was_lost);
    if (task == nullptr) return;
    bool is_lost = false;
    while (!is_lost && !stop.stop_requested()) {
      std::unique_lock lock(mutex_);
      const auto is_due = [&] { return !queue_.empty() || stop.stop_requested(); };
      changed_.wait_for(lock, std::chrono::milliseconds(100), is_due);
      if (queue_.empty() || stop.stop_requested()) continue;
      Closure closure = std::move(queue_.front());
      queue_.pop_front();
      closure.call.arguments["job"] = options_.job;
      closure.call.arguments["all_done_below"] = all_done_below();
      calls_[at] = std::stop_source();
      begun_[at] = std::chrono::steady_clock::now();
      lock.unlock();
      run_closure(stop, index, task, std::move(closure), is_lost);
    }
    const std::scoped_lock lock(mutex_);
    begun_[at] = {};
    if (!is_lost) return;
    tasks_[at] = nullptr;
    --counts_.workers;
    ++counts_.lost;
    was_lost = true;
  }
}

std::shared_ptr<RemoteTask> WorkerPool::connect(const Options& options, int index, std::chrono::milliseconds timeout) {
  TransportOptions transport = options.transport;
  transport.timeout = std::min(transport.timeout, timeout);
  return std::make_shared<RemoteTask>(options.cluster, TaskSpec{.type = "worker", .index = index},
                                      RemoteTaskOptions{.own_task = options.own_task, .transport = transport});
}

std::shared_ptr<RemoteTask> WorkerPool::join_job(const std::stop_token& stop, int index, bool& was_lost) {
  const auto at = static_cast<std::size_t>(index);
  io::Json arguments = options_.description;
  arguments["job"] = options_.job;
  arguments["number"] = options_.number;
  std::shared_ptr<RemoteTask> task;
  WaitingLog log;
  while (!stop.stop_requested()) {
    try {
      log.note("worker " + std::to_string(index) + " (" + options_.cluster.task_address("worker", index) + ")");
      if (task == nullptr) {
        task = connect(options_, index, greeting_timeout);
        // From now on it is told of the end, in whatever way it comes.
        const std::scoped_lock lock(mutex_);
        tasks_[at] = task;
      }
      const TaskReply reply = task->call({.function = "begin", .arguments = arguments, .has_deadline = false}, stop);
      if (reply.values.get_or("ready", false)) {
        const std::scoped_lock lock(mutex_);
        ++counts_.workers;
        if (was_lost) log_info(task->name() + " is back");
        return task;
      }
      if (reply.values.contains("error") && !reply.values.get_or("is_unavailable", false)) {
        throw ValueError(task->name() + ": " + reply.values["error"].as_string());
      }
    } catch (const UnavailableError&) {
      task = nullptr;  // it has not been started yet, or is lost
    } catch (const ValueError&) {
      fail(std::current_exception(), true);
      return nullptr;
    } catch (const RuntimeError&) {
      task = nullptr;  // it was started again
    }
    if (!pause(stop, std::chrono::milliseconds(50))) return nullptr;
  }
  return nullptr;
}

void WorkerPool::run_closure(const std::stop_token& stop, int index, const std::shared_ptr<RemoteTask>& task,
                             Closure closure, bool& is_lost) {
  const auto at = static_cast<std::size_t>(index);
  std::string reason;
  try {
    TaskCall call = closure.call;
    call.has_deadline = false;
    TaskReply reply = task->call(call, calls_[at].get_token());
    if (!reply.values.get_or("ready", true)) {
      reason = "it has left the job";
    } else if (reply.values.get_or("is_unavailable", false)) {
      // The server that it cannot reach may be lost for all, which its watch will say.
      log_warning(task->name() + ": " + reply.values["error"].as_string());
      {
        const std::scoped_lock lock(mutex_);
        if (pending_.contains(closure.id)) {
          queue_.push_front(std::move(closure));
          ++counts_.repeated;
        }
      }
      pause(stop, std::chrono::milliseconds(500));
      return;
    } else if (reply.values.contains("error")) {
      {
        const std::scoped_lock lock(mutex_);
        pending_.erase(closure.id);
      }
      if (closure.on_cancelled) closure.on_cancelled();
      return fail(std::make_exception_ptr(RuntimeError(task->name() + ": " + reply.values["error"].as_string())),
                  false);
    } else {
      if (closure.on_done) closure.on_done(std::move(reply));
      {
        const std::scoped_lock lock(mutex_);
        pending_.erase(closure.id);
        begun_[at] = {};
      }
      changed_.notify_all();
      return;
    }
  } catch (const ValueError&) {
    return fail(std::current_exception(), true);
  } catch (const Error& error) {
    reason = error.what();
  }
  if (stop.stop_requested()) return;
  is_lost = true;
  log_warning(task->name() + " is lost, its work goes to others: " + reason);
  {
    const std::scoped_lock lock(mutex_);
    if (pending_.contains(closure.id)) {
      queue_.push_front(std::move(closure));
      ++counts_.repeated;
    }
  }
  changed_.notify_all();
}

void WorkerPool::ping(const std::stop_token& stop, int index) {
  const auto at = static_cast<std::size_t>(index);
  while (pause(stop, ping_interval)) {
    std::shared_ptr<RemoteTask> task;
    {
      const std::scoped_lock lock(mutex_);
      task = tasks_[at];
      const bool is_late = options_.closure_timeout.count() > 0 && begun_[at].time_since_epoch().count() > 0 &&
                           std::chrono::steady_clock::now() - begun_[at] > options_.closure_timeout;
      if (is_late) calls_[at].request_stop();
    }
    if (task == nullptr) continue;
    try {
      task->call({.function = "ping", .arguments = io::Json::object({{"job", options_.job}})}, stop);
    } catch (const Error&) {
      continue;  // the call of a closure notices it too
    }
  }
}

void WorkerPool::watch_server(const std::stop_token& stop, const RemoteTask& server) {
  const std::chrono::milliseconds limit = task_timeout();
  auto heard = std::chrono::steady_clock::now();
  std::string reason;
  int refused = 0;
  while (pause(stop, ping_interval)) {
    const auto asked = std::chrono::steady_clock::now();
    try {
      server.call({.function = "ping",
                   .arguments = io::Json::object({{"job", options_.job}}),
                   .timeout = std::clamp(std::chrono::duration_cast<std::chrono::milliseconds>(heard + limit - asked),
                                         ping_interval, greeting_timeout)},
                  stop);
      heard = std::chrono::steady_clock::now();
      refused = 0;
      continue;
    } catch (const UnavailableError& error) {
      reason = error.what();
      // An answer that comes at once: nothing listens there any more.
      refused = std::chrono::steady_clock::now() - asked < std::chrono::seconds(1) ? refused + 1 : 0;
    } catch (const Error& error) {
      reason = error.what();
      refused = 2;  // it was started again, or works for another chief
    }
    if (stop.stop_requested() || limit.count() == 0) continue;
    if (refused < 2 && std::chrono::steady_clock::now() - heard < limit) continue;
    return fail(std::make_exception_ptr(UnavailableError(text_of_lost_server(reason))), true);
  }
}

}  // namespace rhyton::distribute
