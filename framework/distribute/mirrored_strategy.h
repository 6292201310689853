#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/distribute/cross_device_ops.h>
#include <rhyton/framework/distribute/strategy.h>

namespace rhyton::distribute {

/// The options of a MirroredStrategy. Fields in the order of `tf.distribute.MirroredStrategy`.
struct MirroredStrategyOptions {
  ByName by_name = ByName();
  /// Names such as "/gpu:0"; when empty, all logical GPUs, or all logical CPUs if there is no GPU.
  std::vector<std::string> devices = {};
  /// How gradients are summed; chosen for the devices when empty.
  std::optional<CrossDeviceOps> cross_device_ops = std::nullopt;
};

/// Trains on all devices of one process at once: each has a replica of the model and a part of each batch; gradients
/// and metrics are summed over the replicas, so that the variables stay equal, bit by bit. The result is that of one
/// device, up to rounding: losses, gradients and metrics are those of the whole batch, however it is divided.
///
/// Writes to standard error which devices it uses: "INFO:rhyton:Using MirroredStrategy with devices (…)".
///
/// https://www.tensorflow.org/api_docs/python/tf/distribute/MirroredStrategy
class MirroredStrategy : public Strategy {
 public:
  /// Throws ValueError for a name that cannot be parsed or a device that is named twice, InvalidArgumentError for a
  /// device that does not exist.
  explicit MirroredStrategy(const std::vector<std::string>& devices = {});
  explicit MirroredStrategy(const MirroredStrategyOptions& options);

  /// How gradients are summed.
  const CrossDeviceOps& cross_device_ops() const;
};

}  // namespace rhyton::distribute
