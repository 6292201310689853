#pragma once

#include <string>

#include <grpcpp/support/status.h>

namespace rhyton::distribute::grpc_module {

/// What a call answers that has thrown the current exception.
grpc::Status status_of_exception();
/// Throws what the other side has thrown, or UnavailableError, beginning with the task's name; nothing for success.
void throw_unless_ok(const grpc::Status& status, const std::string& task);

}  // namespace rhyton::distribute::grpc_module
