// librhyton_grpc.so: the transport between tasks by gRPC, loaded by `grpc_transport`.

#include <cstdint>
#include <memory>
#include <string>

#include <rhyton/framework/distribute/grpc/remote_service.h>
#include <rhyton/framework/distribute/grpc/remote_session.h>
#include <rhyton/framework/distribute/grpc/task_server.h>
#include <rhyton/framework/distribute/transport.h>

namespace rhyton::distribute::grpc_module {
namespace {

class GrpcTransportImpl final : public Transport {
 public:
  std::unique_ptr<TaskListener> listen(const std::string& address, const TaskServices& services,
                                       const TransportOptions& options) const override {
    require_security(address, options.security);
    return grpc_module::listen(address, services, options);
  }

  std::shared_ptr<DeviceSession> open_session(const std::string& address, const std::string& name,
                                              std::uint64_t task_session,
                                              const TransportOptions& options) const override {
    require_security(address, options.security);
    return grpc_module::open_session(address, name, task_session, options);
  }

  std::unique_ptr<RemoteTaskService> connect(const std::string& address, const std::string& name,
                                             const TransportOptions& options) const override {
    require_security(address, options.security);
    return grpc_module::connect(address, name, options);
  }
};

}  // namespace
}  // namespace rhyton::distribute::grpc_module

extern "C" __attribute__((visibility("default"))) const rhyton::distribute::Transport*
rhyton_grpc_transport() noexcept {
  static const rhyton::distribute::grpc_module::GrpcTransportImpl transport;
  return &transport;
}
