#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/distribute/transport.h>

namespace rhyton::distribute::grpc_module {

/// See `Transport::connect`.
std::unique_ptr<RemoteTaskService> connect(const std::string& address, const std::string& name,
                                           const TransportOptions& options);

}  // namespace rhyton::distribute::grpc_module
