#include <rhyton/framework/distribute/mirrored_strategy.h>

#include <iostream>

#include <rhyton/framework/distribute/named_devices.h>
#include <rhyton/framework/distribute/strategy_impl.h>

namespace rhyton::distribute {
namespace {

std::shared_ptr<StrategyImpl> make(const MirroredStrategyOptions& options) {
  auto impl = std::make_shared<StrategyImpl>(
      StrategyImpl::Options{.name = "MirroredStrategy", .devices = devices_named(options.devices)});
  std::cerr << "INFO:rhyton:Using MirroredStrategy with devices " + listed(impl->devices()) + "\n" << std::flush;
  return impl;
}

}  // namespace

MirroredStrategy::MirroredStrategy(const std::vector<std::string>& devices)
    : MirroredStrategy(MirroredStrategyOptions{.devices = devices}) {}

MirroredStrategy::MirroredStrategy(const MirroredStrategyOptions& options)
    : Strategy(make(options)),
      cross_device_ops_(options.cross_device_ops ? *options.cross_device_ops
                                                 : select_cross_device_ops(worker_devices())) {}

}  // namespace rhyton::distribute
