#include <rhyton/framework/distribute/grpc/remote_session.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <grpcpp/client_context.h>

#include <rhyton/framework/distribute/grpc/connection.h>
#include <rhyton/framework/distribute/grpc/device_messages.h>
#include <rhyton/framework/distribute/grpc/devices.grpc.pb.h>
#include <rhyton/framework/distribute/grpc/run_stream.h>
#include <rhyton/framework/distribute/grpc/status.h>
#include <rhyton/framework/distribute/grpc/tensor_stream.h>
#include <rhyton/framework/error.h>

namespace rhyton::distribute::grpc_module {
namespace {

class RemoteSession final : public DeviceSession {
 public:
  RemoteSession(const std::string& address, std::string name, std::uint64_t task_session,
                const TransportOptions& options)
      : name_(std::move(name)),
        options_(options),
        task_session_(std::to_string(task_session)),
        stub_(protocol::Devices::NewStub(make_channel(address, options))) {
    grpc::ClientContext context;
    context.set_deadline(deadline_of_call(options_, 0));
    context.AddMetadata(session_key, task_session_);
    context.set_wait_for_ready(true);
    protocol::DeviceList devices;
    throw_unless_ok(stub_->Open(&context, protocol::Nothing(), &devices), name_);
    session_ = std::to_string(devices.session());
    cpus_ = devices.cpus();
    if (cpus_ < 1 || cpus_ > max_cpus) throw ValueError(name_ + " has " + std::to_string(cpus_) + " CPUs.");
    add_metadata(holding_);
    held_ = stub_->Hold(&holding_, protocol::Nothing());
  }

  ~RemoteSession() override {
    holding_.TryCancel();
    held_->Finish();
  }
  RemoteSession(const RemoteSession&) = delete;
  RemoteSession& operator=(const RemoteSession&) = delete;

  int cpus() const override { return cpus_; }

  void write(const MemoryRegion& target, std::span<const std::byte> bytes) override {
    grpc::ClientContext context;
    prepare(context, bytes.size());
    protocol::Nothing reply;
    const auto parts = stub_->Write(&context, &reply);
    protocol::MemoryPart part;
    grpc_module::write(target, *part.mutable_region());
    bool is_open = true;
    const auto send = [&] {
      is_open = is_open && parts->Write(part);
      part.Clear();
    };
    std::size_t at = 0;
    part.mutable_part()->set_name("bytes");
    part.mutable_part()->set_dtype("uint8");
    part.mutable_part()->add_shape(static_cast<std::int64_t>(bytes.size()));
    do {
      const std::size_t size = std::min(tensor_part_bytes, bytes.size() - at);
      part.mutable_part()->set_data(bytes.data() + at, size);
      send();
      at += size;
    } while (at < bytes.size() && is_open);
    part.mutable_part()->set_is_end(true);
    send();
    // Where writing fails the status says why.
    if (is_open) parts->WritesDone();
    throw_unless_ok(parts->Finish(), name_);
  }

  void read(const MemoryRegion& source, std::span<std::byte> bytes) override {
    grpc::ClientContext context;
    prepare(context, bytes.size());
    protocol::ReadRequest request;
    grpc_module::write(source, *request.mutable_region());
    request.set_bytes(bytes.size());
    const auto parts = stub_->Read(&context, request);
    // One tensor of as many bytes, and what the reader counts besides.
    constexpr std::size_t bytes_besides = 1024;
    TensorReader reader(bytes.size() + bytes_besides);
    run_stream(*parts, context, name_, [&] {
      protocol::TensorPart part;
      while (parts->Read(&part)) reader.add(part);
    });
    const std::vector<NamedTensor> tensors = reader.take();
    if (tensors.size() != 1 || tensors[0].value.spec().bytes() != bytes.size()) {
      throw ValueError(name_ + " has sent another number of bytes than requested.");
    }
    std::memcpy(bytes.data(), tensors[0].value.raw_data(), bytes.size());
  }

  void copy(const MemoryRegion& target, const MemoryRegion& source, std::uint64_t bytes) override {
    protocol::CopyRequest request;
    grpc_module::write(target, *request.mutable_target());
    grpc_module::write(source, *request.mutable_source());
    request.set_bytes(bytes);
    call_once(&protocol::Devices::Stub::Copy, request);
  }

  void call(const RemoteCall& call) override { call_once(&protocol::Devices::Stub::Call, message_of(call)); }

  std::uint64_t compile(const RemoteGraph& graph) override {
    grpc::ClientContext context;
    prepare(context, 0);
    protocol::GraphHandle reply;
    const auto parts = stub_->Compile(&context, &reply);
    bool is_open = true;
    for (const protocol::GraphPart& part : parts_of(graph)) is_open = is_open && parts->Write(part);
    if (is_open) parts->WritesDone();
    throw_unless_ok(parts->Finish(), name_);
    return reply.graph();
  }

  void run(const RemoteRun& run) override { call_once(&protocol::Devices::Stub::Run, message_of(run)); }

  void release(const std::vector<std::uint64_t>& blocks, const std::vector<std::uint64_t>& graphs) override {
    protocol::Released request;
    for (const std::uint64_t block : blocks) request.add_blocks(block);
    for (const std::uint64_t graph : graphs) request.add_graphs(graph);
    call_once(&protocol::Devices::Stub::Release, request);
  }

 private:
  static constexpr int max_cpus = 4096;

  void add_metadata(grpc::ClientContext& context) const {
    context.AddMetadata(session_key, task_session_);
    context.AddMetadata(devices_key, session_);
  }

  void prepare(grpc::ClientContext& context, std::size_t bytes) const {
    context.set_deadline(deadline_of_call(options_, bytes));
    add_metadata(context);
  }

  template <class Request>
  void call_once(grpc::Status (protocol::Devices::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                 protocol::Nothing*),
                 const Request& request) const {
    grpc::ClientContext context;
    prepare(context, 0);
    protocol::Nothing reply;
    throw_unless_ok((stub_.get()->*method)(&context, request, &reply), name_);
  }

  const std::string name_;
  const TransportOptions options_;
  const std::string task_session_;
  const std::unique_ptr<protocol::Devices::Stub> stub_;
  std::string session_;
  int cpus_ = 0;
  grpc::ClientContext holding_;
  std::unique_ptr<grpc::ClientReader<protocol::Nothing>> held_;
};

}  // namespace

std::shared_ptr<DeviceSession> open_session(const std::string& address, const std::string& name,
                                            std::uint64_t task_session, const TransportOptions& options) {
  return std::make_shared<RemoteSession>(address, name, task_session, options);
}

}  // namespace rhyton::distribute::grpc_module
