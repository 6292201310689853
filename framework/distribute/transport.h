#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <rhyton/framework/distribute/device_session.h>
#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/framework/distribute/variable_service.h>

namespace rhyton::distribute {

/// How connections between tasks are protected. On loopback addresses (127.0.0.0/8, ::1, localhost) they need no
/// protection. Beyond those they are encrypted, and both sides show certificates (TLS), unless `insecure` is set.
struct TransportSecurity {
  /// PEM files: the certificate of this task, its private key, and the authority that signed those of all tasks.
  std::string certificate_file = "";
  std::string key_file = "";
  std::string root_file = "";
  /// Neither encrypted nor authenticated: whoever reaches the port can read and change the variables.
  bool insecure = false;

  bool has_files() const { return !certificate_file.empty() || !key_file.empty() || !root_file.empty(); }
};

/// Tensors are sent in parts of at most this many bytes.
inline constexpr std::size_t tensor_part_bytes = std::size_t{1} << 20;
/// The maximum size of a message: a part, with its name and shape.
inline constexpr int max_message_bytes = 4 << 20;

struct TransportOptions {
  TransportSecurity security = {};
  /// The maximum size of all tensors of a call together, against malformed messages.
  std::size_t max_tensor_bytes = std::size_t{16} << 30;
  /// The time for a call without tensors; a call with tensors has a second more for each 10 MB.
  std::chrono::milliseconds timeout = std::chrono::seconds(20);
};

/// Accepts calls of other tasks while it exists.
class TaskListener {
 public:
  virtual ~TaskListener() = default;
  /// Ends the connections, after those calls that end within a second.
  virtual void stop() = 0;
};

/// What a task serves.
struct TaskServices {
  TaskService& task;
  /// Null for a task that holds no variables for others; they get RuntimeError.
  VariableService* variables = nullptr;
  /// The task's CPUs for clients; null for a task that does not lend them.
  DeviceService* devices = nullptr;
};

/// A representative of a task, which may serve variables or not.
class RemoteTaskService : public TaskService, public VariableService {};

/// Carries the calls between tasks.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Listens on this address, and on no other. Throws RuntimeError where that is not possible, ValueError for an
  /// address beyond loopback without security.
  virtual std::unique_ptr<TaskListener> listen(const std::string& address, const TaskServices& services,
                                               const TransportOptions& options) const = 0;
  /// A representative of a session on the CPUs of the task at `address`, which `TaskGreeting::session` identifies. The
  /// session ends with it, and when the connection breaks. Throws as the functions of TaskService.
  virtual std::shared_ptr<DeviceSession> open_session(const std::string& address, const std::string& name,
                                                      std::uint64_t task_session,
                                                      const TransportOptions& options) const = 0;
  /// A representative of the task at `address`, which need not run yet. `name` names it in messages.
  virtual std::unique_ptr<RemoteTaskService> connect(const std::string& address, const std::string& name,
                                                     const TransportOptions& options) const = 0;
};

/// gRPC, in the module `librhyton_grpc.so` beside this library, or the file that the environment variable
/// RHYTON_GRPC_MODULE names, loaded at the first call. Throws RuntimeError, which says what to install, where Rhyton
/// was built without gRPC.
const Transport& grpc_transport();

/// The one function that the module exports, under this name.
using GrpcTransport = const Transport* (*)() noexcept;
inline constexpr const char* grpc_transport_symbol = "rhyton_grpc_transport";

/// Whether an address is one of this machine's loopback interface, by its text.
bool is_loopback(const std::string& address);
/// Throws ValueError, which says what is possible, for an address beyond loopback without TLS files or `insecure`, and
/// for some of the three files without the others.
void require_security(const std::string& address, const TransportSecurity& security);

}  // namespace rhyton::distribute
