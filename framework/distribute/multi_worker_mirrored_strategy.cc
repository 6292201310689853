#include <rhyton/framework/distribute/multi_worker_mirrored_strategy.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include <rhyton/framework/distribute/cluster.h>
#include <rhyton/framework/distribute/job_description.h>
#include <rhyton/framework/distribute/mpi/process_group.h>
#include <rhyton/framework/distribute/named_devices.h>
#include <rhyton/framework/distribute/reduction_buckets.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/logging.h>

namespace rhyton::distribute {
namespace {

/// Sums can run in the background if all of them are in host memory, in every process.
bool can_overlap(ProcessGroup& processes, const std::vector<LogicalDevice*>& devices) {
  const bool is_on_host =
      std::all_of(devices.begin(), devices.end(), [](const LogicalDevice* device) { return device->is_host(); });
  const std::vector<std::string> everywhere = processes.all_gather(is_on_host ? "host" : "device");
  return std::all_of(everywhere.begin(), everywhere.end(), [](const std::string& kind) { return kind == "host"; });
}

std::shared_ptr<StrategyImpl> make(const MultiWorkerMirroredStrategyOptions& options) {
  const std::shared_ptr<ProcessGroup> processes = mpi_process_group();
  if (const std::optional<ClusterConfig> config = cluster_config_from_environment()) {
    require_ranks(*config, processes->rank(), processes->size());
  }
  const std::vector<LogicalDevice*> devices = devices_named(options.devices);
  const CrossDeviceOps cross_device_ops = select_cross_device_ops(devices, processes->size());
  const std::int64_t bucket_bytes = reduction_bucket_bytes();
  require_same(*processes, {{{"number of devices of each worker", std::to_string(devices.size())},
                             {"way of summing over devices", cross_device_ops.name()},
                             {"RHYTON_REDUCTION_BUCKET_MB", std::to_string(bucket_bytes) + " bytes"}}});
  const std::int64_t buckets = can_overlap(*processes, devices) ? bucket_bytes : 0;
  auto impl = std::make_shared<StrategyImpl>(StrategyImpl::Options{.name = "MultiWorkerMirroredStrategy",
                                                                   .devices = devices,
                                                                   .processes = processes,
                                                                   .auto_shard_policy = options.auto_shard_policy,
                                                                   .cross_device_ops = cross_device_ops,
                                                                   .bucket_bytes = buckets});
  if (impl->is_chief()) {
    log_info("Using MultiWorkerMirroredStrategy with " + std::to_string(processes->size()) +
             " workers, local_devices = " + listed(impl->devices()));
  }
  return impl;
}

}  // namespace

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy(const MultiWorkerMirroredStrategyOptions& options)
    : Strategy(make(options)) {}

int MultiWorkerMirroredStrategy::worker_index() const { return impl()->processes()->rank(); }
int MultiWorkerMirroredStrategy::worker_count() const { return impl()->processes()->size(); }

}  // namespace rhyton::distribute
