#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <rhyton/framework/distribute/transport.h>

namespace rhyton::distribute::grpc_module {

/// The metadata by which a call names the session on devices that it belongs to.
inline constexpr const char* devices_key = "rhyton-devices";

/// See `Transport::open_session`.
std::shared_ptr<DeviceSession> open_session(const std::string& address, const std::string& name,
                                            std::uint64_t task_session, const TransportOptions& options);

}  // namespace rhyton::distribute::grpc_module
