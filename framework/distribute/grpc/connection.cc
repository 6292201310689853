#include <rhyton/framework/distribute/grpc/connection.h>

#include <fstream>
#include <sstream>

#include <rhyton/framework/error.h>

namespace rhyton::distribute::grpc_module {
namespace {

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

}  // namespace rhyton::distribute::grpc_module
