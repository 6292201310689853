#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/cluster.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::distribute {

/// A task cannot be reached, or has not answered in time (TensorFlow's `UnavailableError`).
class UnavailableError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// The version of the messages between tasks: it changes with task.proto and devices.proto.
inline constexpr int task_protocol_version = 2;

/// What two tasks tell each other before anything else.
struct TaskGreeting {
  int protocol_version = task_protocol_version;
  std::string library_version;
  /// The task that sends the greeting; without a type where it is a client outside of the cluster.
  TaskSpec task{.type = "", .index = 0};
  ClusterSpec cluster;
  /// In the answer: identifies the run of the task. Another number means that it was started again and has lost its
  /// variables.
  std::uint64_t session = 0;
};

/// A tensor by name: the value of a variable, or its gradient.
struct NamedTensor {
  std::string name;
  Tensor value;
  /// Of a sparse gradient: the rows of the variable that the rows of `value` belong to, int32 or int64; rows may
  /// repeat. Empty for all others.
  Tensor indices = {};
};

/// A call of a function of a task by its name, such as "pull" of a server or a function that a program has registered.
struct TaskCall {
  std::string function;
  /// An object.
  io::Json arguments = io::Json::object();
  std::vector<NamedTensor> tensors = {};
  /// Whether the answer must come in time. A function that computes may take any time; the connection is watched
  /// instead.
  bool has_deadline = true;
  /// That time; 0: the time-out of the transport.
  std::chrono::milliseconds timeout{0};
};

/// The answer to a TaskCall.
struct TaskReply {
  io::Json values = io::Json::object();
  std::vector<NamedTensor> tensors = {};
};

/// What every task does for others. Implemented by the task itself, and by its representative in other processes, which
/// sends each call to it and also throws UnavailableError. Called by several threads at once.
class TaskService {
 public:
  virtual ~TaskService() = default;

  /// Throws ValueError, which names both sides, for a caller of another version or another cluster.
  virtual TaskGreeting greet(const TaskGreeting& caller) = 0;
  /// Calls a function by name. Throws NotFoundError for a name that the task does not know, and what the function
  /// throws. A stop request ends the wait for another process with UnavailableError.
  virtual TaskReply call(const TaskCall& call, const std::stop_token& stop) = 0;
};

}  // namespace rhyton::distribute
