#pragma once

#include <string>

#include <rhyton/framework/distribute/strategy.h>

namespace rhyton::distribute {

/// Puts variables and steps on one device (`tf.distribute.OneDeviceStrategy`).
class OneDeviceStrategy : public Strategy {
 public:
  /// `device`: a name such as "/gpu:0". Throws ValueError for a name that cannot be parsed and InvalidArgumentError for
  /// a device that does not exist.
  explicit OneDeviceStrategy(const std::string& device);
};

}  // namespace rhyton::distribute
