#include <rhyton/models/cluster/parameter_server_strategy.h>

#include <memory>
#include <optional>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/error.h>
#include <rhyton/models/cluster/parameter_server_job.h>

namespace rhyton::distribute {
namespace {

ClusterConfig config_of_environment() {
  if (const std::optional<ClusterConfig> config = cluster_config_from_environment()) return *config;
  throw ValueError(
      "ParameterServerStrategy needs a cluster: expected one in the environment variable TF_CONFIG, or as an "
      "argument.");
}

std::shared_ptr<StrategyImpl> make(const ClusterConfig& config, const ParameterServerStrategyOptions& options) {
  const auto job = std::make_shared<ParameterServerJob>(config, options);
  return std::make_shared<StrategyImpl>(StrategyImpl::Options{.name = "ParameterServerStrategy",
                                                              .devices = {&current_device()},
                                                              .parameter_servers = job,
                                                              .is_chief = job->is_chief()});
}

}  // namespace

ParameterServerStrategy::ParameterServerStrategy(const ParameterServerStrategyOptions& options)
    : ParameterServerStrategy(config_of_environment(), options) {}

ParameterServerStrategy::ParameterServerStrategy(const ClusterConfig& config,
                                                 const ParameterServerStrategyOptions& options)
    : Strategy(make(config, options)) {}

ParameterServerStatistics ParameterServerStrategy::statistics() const {
  return impl()->parameter_servers()->statistics();
}

}  // namespace rhyton::distribute
