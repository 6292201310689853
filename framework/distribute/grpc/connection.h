#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <rhyton/framework/distribute/transport.h>

namespace rhyton::distribute::grpc_module {

/// The metadata by which a call names the run of the task that it is meant for.
inline constexpr const char* session_key = "rhyton-session";

/// Connections with a peer that does not answer for `keepalive_ms` plus `keepalive_timeout_ms` are closed: it was
/// stopped, or cannot be reached.
inline constexpr int keepalive_ms = 5000;
inline constexpr int keepalive_timeout_ms = 10000;

/// Throw IOError for a file that cannot be read.
std::shared_ptr<grpc::ServerCredentials> server_credentials(const TransportSecurity& security);
std::shared_ptr<grpc::ChannelCredentials> client_credentials(const TransportSecurity& security);

/// A connection of its own with that address.
std::shared_ptr<grpc::Channel> make_channel(const std::string& address, const TransportOptions& options);
/// When a call with that many bytes of tensors has failed that has not ended.
std::chrono::system_clock::time_point deadline_of_call(const TransportOptions& options, std::size_t bytes);

}  // namespace rhyton::distribute::grpc_module
