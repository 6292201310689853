#include <rhyton/models/cluster/worker_service.h>

#include <chrono>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/models/cluster/greeting.h>

namespace rhyton::distribute {
namespace {

TaskReply not_ready() { return {.values = io::Json::object({{"ready", false}})}; }

}  // namespace

WorkerService::WorkerService(ClusterSpec cluster, TaskSpec task)
    : cluster_(std::move(cluster)), task_(std::move(task)) {}

TaskGreeting WorkerService::greet(const TaskGreeting& caller) { return answer_to(caller, task_, cluster_); }

TaskReply WorkerService::call(const TaskCall& call, const std::stop_token& /*stop*/) {
  const std::string job = call.arguments.get_or("job", std::string());
  watch_.note(job);
  if (call.function == "begin") return begin(call);
  if (call.function == "end") {
    watch_.end(job, call.arguments.get_or("number", 0), call.arguments.get_or("error", std::string()));
    const std::scoped_lock lock(mutex_);
    if (job == watch_.job()) stop_.request_stop();
    changed_.notify_all();
    return {};
  }
  watch_.require(job);
  if (call.function == "ping") return {};
  std::unique_lock lock(mutex_);
  // The worker may still compute a part that came too late and is unused.
  if (call.function == "leave") {
    changed_.wait_for(lock, std::chrono::seconds(10), [this] { return number_ == 0 || request_ == nullptr; });
  }
  if (number_ == 0 || request_ != nullptr) return not_ready();
  return run(call, lock);
}

TaskReply WorkerService::begin(const TaskCall& call) {
  const auto number = static_cast<int>(call.arguments["number"].as_int());
  std::unique_lock lock(mutex_);
  if (number_ == 0 || request_ != nullptr) return not_ready();
  if (number < number_) {
    throw ValueError("The worker has come to training number " + std::to_string(number_) +
                     " of its program, but the chief to number " + std::to_string(number) +
                     ": one of them was started again. Start the worker again.");
  }
  watch_.begin(call.arguments["job"].as_string(), number);
  // This worker was started again: its program leaves out the trainings that are over.
  if (number > number_) {
    changed_.notify_all();
    return not_ready();
  }
  stop_ = std::stop_source();
  TaskReply reply = run(call, lock);
  const bool has_error = reply.values.contains("error");
  // A program that does not fit the chief's has no part in any later attempt either.
  if (has_error && !reply.values["is_unavailable"].as_bool())
    watch_.end(watch_.job(), number, reply.values["error"].as_string());
  reply.values["ready"] = !has_error;
  return reply;
}

std::stop_token WorkerService::stop_token() {
  const std::scoped_lock lock(mutex_);
  return stop_.get_token();
}

TaskReply WorkerService::run(const TaskCall& call, std::unique_lock<std::mutex>& lock) {
  Request request{.call = call};
  request_ = &request;
  changed_.notify_all();
  changed_.wait(lock, [&] { return request.is_done; });
  return std::move(request.reply);
}

TaskReply WorkerService::answer(const Function& function, const TaskCall& call) {
  const auto failed = [](const std::exception& error, bool is_unavailable) {
    return TaskReply{.values = io::Json::object({{"error", error.what()}, {"is_unavailable", is_unavailable}})};
  };
  try {
    return function(call);
  } catch (const UnavailableError& error) {
    return failed(error, true);
  } catch (const std::exception& error) {
    return failed(error, false);
  }
}

void WorkerService::serve(int number, const std::map<std::string, Function>& functions) {
  std::unique_lock lock(mutex_);
  number_ = number;
  const auto leave = [&] {
    number_ = 0;
    if (request_ == nullptr) return;
    request_->reply = not_ready();
    request_->is_done = true;
    request_ = nullptr;
    changed_.notify_all();
  };
  try {
    while (!watch_.is_over(number)) {
      if (request_ == nullptr) {
        changed_.wait_for(lock, std::chrono::milliseconds(200));
        continue;
      }
      Request& request = *request_;
      lock.unlock();
      const auto found = functions.find(request.call.function);
      TaskReply reply = found != functions.end()
                            ? answer(found->second, request.call)
                            : TaskReply{.values = io::Json::object({{"error", "The worker's program has no function '" +
                                                                                  request.call.function + "'."},
                                                                    {"is_unavailable", false}})};
      lock.lock();
      request.reply = std::move(reply);
      request.is_done = true;
      request_ = nullptr;
      changed_.notify_all();
    }
  } catch (...) {
    leave();
    throw;
  }
  leave();
}

}  // namespace rhyton::distribute
