#include <rhyton/framework/distribute/one_device_strategy.h>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/distribute/strategy_impl.h>

namespace rhyton::distribute {

OneDeviceStrategy::OneDeviceStrategy(const std::string& device)
    : Strategy(std::make_shared<StrategyImpl>(StrategyImpl::Options{
          .name = "OneDeviceStrategy", .devices = {&device_runtime().find(DeviceSpec::parse(device))}})) {}

}  // namespace rhyton::distribute
