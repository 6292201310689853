#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <grpcpp/server_context.h>

#include <rhyton/framework/distribute/device_session.h>
#include <rhyton/framework/distribute/grpc/devices.grpc.pb.h>

namespace rhyton::distribute::grpc_module {

/// The calls of devices.proto, passed on to the sessions of a DeviceService. A session ends when its client is gone.
class DeviceCalls final : public protocol::Devices::Service {
 public:
  /// `task_session` is that of the task's greeting.
  DeviceCalls(DeviceService& devices, std::size_t max_tensor_bytes, std::uint64_t task_session);

  grpc::Status Open(grpc::ServerContext* context, const protocol::Nothing* request,
                    protocol::DeviceList* reply) override;
  grpc::Status Hold(grpc::ServerContext* context, const protocol::Nothing* request,
                    grpc::ServerWriter<protocol::Nothing>* parts) override;
  grpc::Status Write(grpc::ServerContext* context, grpc::ServerReader<protocol::MemoryPart>* parts,
                     protocol::Nothing* reply) override;
  grpc::Status Read(grpc::ServerContext* context, const protocol::ReadRequest* request,
                    grpc::ServerWriter<protocol::TensorPart>* parts) override;
  grpc::Status Copy(grpc::ServerContext* context, const protocol::CopyRequest* request,
                    protocol::Nothing* reply) override;
  grpc::Status Call(grpc::ServerContext* context, const protocol::OpCall* request, protocol::Nothing* reply) override;
  grpc::Status Compile(grpc::ServerContext* context, grpc::ServerReader<protocol::GraphPart>* parts,
                       protocol::GraphHandle* reply) override;
  grpc::Status Run(grpc::ServerContext* context, const protocol::GraphRun* request, protocol::Nothing* reply) override;
  grpc::Status Release(grpc::ServerContext* context, const protocol::Released* request,
                       protocol::Nothing* reply) override;

  /// Ends the sessions, so that no call stays open.
  void stop();

 private:
  struct Entry {
    std::shared_ptr<DeviceSession> session = nullptr;
    bool is_held = false;
    std::chrono::steady_clock::time_point opened = {};
  };

  /// Calls `call` with the session that the context names.
  grpc::Status answered(const grpc::ServerContext& context, const std::function<void(DeviceSession&)>& call);
  void require_task_session(const grpc::ServerContext& context) const;
  std::shared_ptr<DeviceSession> find(const grpc::ServerContext& context);
  /// Forgets sessions whose clients did not come back after opening them.
  void drop_abandoned();

  DeviceService& devices_;
  const std::size_t max_tensor_bytes_;
  const std::string task_session_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool is_stopped_ = false;
  std::map<std::string, Entry> sessions_;
};

}  // namespace rhyton::distribute::grpc_module
