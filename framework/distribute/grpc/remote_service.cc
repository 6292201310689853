#include <rhyton/framework/distribute/grpc/remote_service.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stop_token>
#include <utility>
#include <vector>

#include <grpcpp/client_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/sync_stream.h>

#include <rhyton/framework/distribute/grpc/call_stream.h>
#include <rhyton/framework/distribute/grpc/connection.h>
#include <rhyton/framework/distribute/grpc/run_stream.h>
#include <rhyton/framework/distribute/grpc/status.h>
#include <rhyton/framework/distribute/grpc/task.grpc.pb.h>
#include <rhyton/framework/distribute/grpc/tensor_messages.h>
#include <rhyton/framework/distribute/grpc/tensor_stream.h>
#include <rhyton/framework/error.h>

namespace rhyton::distribute::grpc_module {
namespace {

/// What is expected of an answer whose size is not known yet.
constexpr std::size_t expected_bytes = 1'000'000'000;

std::size_t bytes_of(const std::vector<NamedTensor>& tensors) {
  std::size_t bytes = 0;
  for (const NamedTensor& tensor : tensors) {
    if (tensor.name.empty()) throw ValueError("A variable of another task needs a name.");
    if (tensor.value.dtype() == bool_)
      throw ValueError("'" + tensor.name + "' is bool, which other tasks do not hold.");
    bytes += tensor.value.spec().bytes();
    if (!tensor.indices.is_empty()) bytes += tensor.indices.spec().bytes();
  }
  return bytes;
}

class RemoteService final : public RemoteTaskService {
 public:
  RemoteService(const std::string& address, std::string name, const TransportOptions& options)
      : name_(std::move(name)),
        options_(options),
        channel_(make_channel(address, options)),
        stub_(protocol::Task::NewStub(channel_)) {}

  TaskGreeting greet(const TaskGreeting& caller) override {
    protocol::Greeting request;
    request.set_protocol_version(caller.protocol_version);
    request.set_library_version(caller.library_version);
    request.set_job_name(caller.task.type);
    request.set_task_index(caller.task.index);
    request.set_cluster(caller.cluster.as_dict().dump());
    protocol::Greeting reply;
    grpc::ClientContext context;
    context.set_deadline(deadline(0));
    context.set_wait_for_ready(true);  // the task may be about to start
    throw_unless_ok(stub_->Greet(&context, request, &reply), name_);
    session_ = reply.session();
    return {.protocol_version = reply.protocol_version(),
            .library_version = reply.library_version(),
            .task = {.type = reply.job_name(), .index = reply.task_index()},
            .cluster = ClusterSpec::parse(reply.cluster(), "cluster of " + name_),
            .session = reply.session()};
  }

  void create(const std::vector<NamedTensor>& variables) override {
    protocol::Nothing reply;
    send(variables, create_, reply);
  }

  void assign(const std::vector<NamedTensor>& values) override {
    protocol::Nothing reply;
    send(values, assign_, reply);
  }

  std::vector<NamedTensor> read(const std::vector<std::string>& names) override {
    protocol::Names request;
    for (const std::string& name : names) request.add_name(name);
    grpc::ClientContext context;
    prepare(context, last_read_bytes_);
    const std::unique_ptr<grpc::ClientReader<grpc::ByteBuffer>> parts(
        grpc::internal::ClientReaderFactory<grpc::ByteBuffer>::Create(channel_.get(), read_, &context, request));
    TensorReader reader(options_.max_tensor_bytes);
    run_stream(*parts, context, name_, [&] {
      grpc::ByteBuffer part;
      while (parts->Read(&part)) reader.add(part);
    });
    std::vector<NamedTensor> values = reader.take();
    last_read_bytes_ = bytes_of(values);
    return values;
  }

  void set_optimizer(const io::Json& optimizer) override {
    protocol::Optimizer request;
    request.set_config(optimizer.dump());
    protocol::Nothing reply;
    call(&protocol::Task::Stub::SetOptimizer, request, reply);
  }

  std::int64_t apply_gradients(const std::vector<NamedTensor>& gradients) override {
    protocol::Steps reply;
    send(gradients, apply_gradients_, reply);
    return reply.iterations();
  }

  std::int64_t iterations() override {
    protocol::Steps reply;
    call(&protocol::Task::Stub::Iterations, protocol::Nothing(), reply);
    return reply.iterations();
  }

  void shut_down() override {
    protocol::Nothing reply;
    call(&protocol::Task::Stub::ShutDown, protocol::Nothing(), reply);
  }

  TaskReply call(const TaskCall& call, const std::stop_token& stop) override {
    grpc::ClientContext context;
    context.AddMetadata(session_key, std::to_string(session_));
    const std::size_t bytes = bytes_of(call.tensors);
    if (call.timeout.count() > 0) {
      context.set_deadline(std::chrono::system_clock::now() + call.timeout);
    } else if (call.has_deadline) {
      context.set_deadline(deadline(bytes));
    }
    const auto parts = stub_->Call(&context);
    const std::stop_callback cancel(stop, [&] { context.TryCancel(); });
    CallReader reader(options_.max_tensor_bytes);
    run_stream(*parts, context, name_, [&] {
      if (write_call(*parts, call.function, call.arguments, call.tensors)) parts->WritesDone();
      protocol::CallPart part;
      while (parts->Read(&part)) reader.add(part);
    });
    return {.values = reader.json("answer of " + name_), .tensors = reader.take()};
  }

 private:
  grpc::internal::RpcMethod streaming(const char* name, grpc::internal::RpcMethod::RpcType type) {
    paths_.push_back("/" + std::string(protocol::Task::service_full_name()) + "/" + name);
    return {paths_.back().c_str(), type, channel_};
  }

  std::chrono::system_clock::time_point deadline(std::size_t bytes) const { return deadline_of_call(options_, bytes); }

  void prepare(grpc::ClientContext& context, std::size_t bytes) const {
    context.set_deadline(deadline(bytes));
    context.AddMetadata(session_key, std::to_string(session_));
  }

  template <class Request, class Reply>
  void call(grpc::Status (protocol::Task::Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
            const Request& request, Reply& reply) const {
    grpc::ClientContext context;
    prepare(context, 0);
    throw_unless_ok((stub_.get()->*method)(&context, request, &reply), name_);
  }

  template <class Reply>
  void send(const std::vector<NamedTensor>& tensors, const grpc::internal::RpcMethod& method, Reply& reply) const {
    grpc::ClientContext context;
    prepare(context, bytes_of(tensors));
    const std::unique_ptr<grpc::ClientWriter<grpc::ByteBuffer>> parts(
        grpc::internal::ClientWriterFactory<grpc::ByteBuffer>::Create(channel_.get(), method, &context, &reply));
    // Where writing fails the status says why.
    if (write_tensor_messages(*parts, tensors)) parts->WritesDone();
    throw_unless_ok(parts->Finish(), name_);
  }

  const std::string name_;
  const TransportOptions options_;
  /// Of the methods below, which refer to them.
  std::deque<std::string> paths_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<protocol::Task::Stub> stub_;
  /// Calls with streams of tensors, whose messages stay as they are on the wire (tensor_messages.h).
  const grpc::internal::RpcMethod create_ = streaming("Create", grpc::internal::RpcMethod::CLIENT_STREAMING);
  const grpc::internal::RpcMethod assign_ = streaming("Assign", grpc::internal::RpcMethod::CLIENT_STREAMING);
  const grpc::internal::RpcMethod read_ = streaming("Read", grpc::internal::RpcMethod::SERVER_STREAMING);
  const grpc::internal::RpcMethod apply_gradients_ =
      streaming("ApplyGradients", grpc::internal::RpcMethod::CLIENT_STREAMING);
  std::atomic<std::uint64_t> session_ = 0;
  std::atomic<std::size_t> last_read_bytes_ = expected_bytes;
};

}  // namespace

std::unique_ptr<RemoteTaskService> connect(const std::string& address, const std::string& name,
                                           const TransportOptions& options) {
  return std::make_unique<RemoteService>(address, name, options);
}

}  // namespace rhyton::distribute::grpc_module
