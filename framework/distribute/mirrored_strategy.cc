#include <rhyton/framework/distribute/mirrored_strategy.h>

#include <rhyton/framework/distribute/named_devices.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/logging.h>

namespace rhyton::distribute {
namespace {

std::shared_ptr<StrategyImpl> make(const MirroredStrategyOptions& options) {
  const std::vector<LogicalDevice*> devices = devices_named(options.devices);
  log_info("Using MirroredStrategy with devices " + listed(devices));
  return std::make_shared<StrategyImpl>(StrategyImpl::Options{
      .name = "MirroredStrategy",
      .devices = devices,
      .cross_device_ops = options.cross_device_ops ? *options.cross_device_ops : select_cross_device_ops(devices)});
}

}  // namespace

MirroredStrategy::MirroredStrategy(const std::vector<std::string>& devices)
    : MirroredStrategy(MirroredStrategyOptions{.devices = devices}) {}

MirroredStrategy::MirroredStrategy(const MirroredStrategyOptions& options) : Strategy(make(options)) {}

const CrossDeviceOps& MirroredStrategy::cross_device_ops() const { return impl()->cross_device_ops(); }

}  // namespace rhyton::distribute
