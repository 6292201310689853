#include <rhyton/framework/distribute/grpc/connection.h>

#include <fstream>
#include <sstream>

#include <grpcpp/create_channel.h>
#include <grpcpp/support/channel_arguments.h>

#include <rhyton/framework/error.h>

namespace rhyton::distribute::grpc_module {
namespace {

/// The slowest network that a deadline allows for.
constexpr std::size_t bytes_per_second = 10'000'000;

std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream || content.str().empty()) throw IOError("The TLS file '" + file + "' cannot be read.");
  return content.str();
}

}  // namespace

std::shared_ptr<grpc::ServerCredentials> server_credentials(const TransportSecurity& security) {
  if (!security.has_files()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = content_of(security.root_file);
  options.pem_key_cert_pairs.push_back({content_of(security.key_file), content_of(security.certificate_file)});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> client_credentials(const TransportSecurity& security) {
  if (!security.has_files()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials(
      {content_of(security.root_file), content_of(security.key_file), content_of(security.certificate_file)});
}

std::shared_ptr<grpc::Channel> make_channel(const std::string& address, const TransportOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(max_message_bytes);
  arguments.SetMaxSendMessageSize(max_message_bytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, keepalive_ms);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keepalive_timeout_ms);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // Connections of its own, and none through a proxy: tasks are in one network.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return grpc::CreateCustomChannel(address, client_credentials(options.security), arguments);
}

std::chrono::system_clock::time_point deadline_of_call(const TransportOptions& options, std::size_t bytes) {
  return std::chrono::system_clock::now() + options.timeout + std::chrono::seconds(bytes / bytes_per_second);
}

}  // namespace rhyton::distribute::grpc_module
