#pragma once

#include <memory>
#include <optional>
#include <string>

#include <rhyton/framework/distribute/cluster_spec.h>
#include <rhyton/framework/distribute/transport.h>

namespace rhyton::distribute {

/// The options of a Server. Fields in TensorFlow's order.
struct ServerOptions {
  /// May be left out where the cluster has one job.
  std::string job_name = "";
  /// May be left out where the job has one task.
  std::optional<int> task_index = std::nullopt;
  TransportOptions transport = {};
};

/// A task of a cluster, which answers the calls of others (`tf.distribute.Server`): it holds variables for them,
/// applies their gradients, and computes on its CPUs what they ask for (`connect_to_cluster`).
///
///     distribute::Server server(cluster, {.job_name = "ps", .task_index = 0});
///     server.join();
class Server {
 public:
  /// Listens on the task's address in the cluster, and on no other. Throws ValueError for a task that the cluster does
  /// not have and for an address beyond loopback without security, RuntimeError where nothing can listen there, and
  /// where Rhyton was built without gRPC.
  explicit Server(const ClusterSpec& cluster, const ServerOptions& options = {});
  /// Ends as `stop` does.
  ~Server();
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;

  /// "grpc://localhost:2222".
  std::string target() const;
  /// Waits until another thread calls `stop`, or another task shuts this one down.
  void join();
  /// Ends the connections, and `join`. May be called by any thread.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The task of that cluster that these options mean. Throws ValueError as the constructor of Server.
TaskSpec task_of(const ClusterSpec& cluster, const ServerOptions& options);

}  // namespace rhyton::distribute
