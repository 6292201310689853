#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/distribute/transport.h>

namespace rhyton::distribute::grpc_module {

/// See `Transport::listen`.
std::unique_ptr<TaskListener> listen(const std::string& address, TaskService& service, const TransportOptions& options);

}  // namespace rhyton::distribute::grpc_module
