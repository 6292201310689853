#include <rhyton/framework/distribute/transport.h>

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/module_file.h>

namespace rhyton::distribute {
namespace {

[[noreturn]] void throw_no_grpc(const std::string& problem) {
  throw RuntimeError(
      "Clusters of tasks need gRPC, which was not found: " + problem +
      ". Install it (on Debian and Ubuntu: apt-get install libgrpc++-dev libprotobuf-dev "
      "protobuf-compiler protobuf-compiler-grpc) and build Rhyton again, or let the environment variable "
      "RHYTON_GRPC_MODULE name its librhyton_grpc.so.");
}

/// Never unloaded: gRPC's threads outlive the last call.
class GrpcModule {
 public:
  GrpcModule() {
    const std::filesystem::path file = module_file("librhyton_grpc.so", "RHYTON_GRPC_MODULE");
    std::error_code ignored;
    if (file.empty() || !std::filesystem::exists(file, ignored)) {
      throw_no_grpc("there is no module '" + file.string() + "', so Rhyton was built without gRPC");
    }
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) throw_no_grpc(dlerror());
    const auto entry = reinterpret_cast<GrpcTransport>(dlsym(module, grpc_transport_symbol));
    if (entry == nullptr) throw_no_grpc("'" + file.string() + "' is no such module");
    transport_ = entry();
  }

  const Transport& transport() const { return *transport_; }

 private:
  const Transport* transport_ = nullptr;
};

}  // namespace

const Transport& grpc_transport() { return context().slot<GrpcModule>().transport(); }

bool is_loopback(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  if (host == "localhost" || host == "[::1]") return true;
  // A name may begin with "127." too, "127.example.com".
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos;
}

void require_security(const std::string& address, const TransportSecurity& security) {
  if (security.has_files()) {
    for (const std::string* file : {&security.certificate_file, &security.key_file, &security.root_file}) {
      if (file->empty()) {
        throw ValueError("TLS needs the three files certificate_file, key_file and root_file, got '" +
                         security.certificate_file + "', '" + security.key_file + "' and '" + security.root_file +
                         "'.");
      }
    }
    if (security.insecure) throw ValueError("Either TLS files or insecure = true can be given, not both.");
    return;
  }
  if (security.insecure || is_loopback(address)) return;
  throw ValueError("The address '" + address +
                   "' is not on the loopback interface: expected TLS files (certificate_file, key_file, root_file), or "
                   "insecure = true for a network that nobody else can use, got neither.");
}

}  // namespace rhyton::distribute
