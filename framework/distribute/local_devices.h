#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include <rhyton/framework/distribute/device_session.h>

namespace rhyton::distribute {

/// The CPUs of this process, for clients in other ones. Everything that a client sends is checked before use: it may
/// come from anyone who can connect.
class LocalDevices final : public DeviceService {
 public:
  /// The maximum bytes of the tensors of one session, and of the values of one graph.
  explicit LocalDevices(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  std::shared_ptr<DeviceSession> open_session() override;

  static constexpr int max_sessions = 256;

 private:
  const std::size_t max_bytes_;
  /// Outlives this object where sessions do.
  std::shared_ptr<std::atomic<int>> sessions_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace rhyton::distribute
