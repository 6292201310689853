#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/distribute/transport.h>

namespace rhyton::distribute::grpc_module {

/// See `Transport::listen`.
std::unique_ptr<TaskListener> listen(const std::string& address, const TaskServices& services,
                                     const TransportOptions& options);

}  // namespace rhyton::distribute::grpc_module
