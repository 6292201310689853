#pragma once

#include <string>

#include <rhyton/framework/distribute/cluster_spec.h>
#include <rhyton/framework/distribute/transport.h>

namespace rhyton::distribute {

/// The options of `connect_to_cluster`. Fields in TensorFlow's order.
struct ConnectOptions {
  /// The task of this process. With the default it is a client outside of the cluster's jobs; a job of the cluster,
  /// such as "worker", names a task of it, whose own device names then mean this process.
  std::string job_name = "localhost";
  int task_index = 0;
  TransportOptions transport = {};
};

/// Connects this process with all other tasks of the cluster, whose CPUs it can use from then on
/// (`tf.config.experimental_connect_to_cluster`):
///
///     distribute::connect_to_cluster(cluster);
///     auto scope = device("/job:ps/task:0");  // constants, variables and ops are there
///
/// Each task is a Server (`rhyton server`). Waits until all of them run, up to the time-out of the transport.
/// Connecting again replaces connections that are broken: tensors and variables that were in such a task are lost. All
/// calls of other tasks fail after `transport.timeout` and a second for each 10 MB, ops and functions too.
///
/// Throws ValueError for tasks of other versions or clusters and for an own task that the cluster does not have,
/// UnavailableError where a task does not answer, RuntimeError where Rhyton was built without gRPC; the tasks before it
/// are connected then.
void connect_to_cluster(const ClusterSpec& cluster, const ConnectOptions& options = {});

}  // namespace rhyton::distribute
