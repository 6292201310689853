#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/distribute/transport.h>

namespace rhyton::distribute::grpc_module {

/// See `Transport::listen`. `devices` may be null.
std::unique_ptr<TaskListener> listen(const std::string& address, TaskService& service, DeviceService* devices,
                                     const TransportOptions& options);

}  // namespace rhyton::distribute::grpc_module
