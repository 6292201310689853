#include <rhyton/framework/distribute/grpc/task_server.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/method_handler.h>
#include <grpcpp/support/sync_stream.h>

#include <rhyton/framework/distribute/grpc/call_stream.h>
#include <rhyton/framework/distribute/grpc/connection.h>
#include <rhyton/framework/distribute/grpc/device_server.h>
#include <rhyton/framework/distribute/grpc/status.h>
#include <rhyton/framework/distribute/grpc/task.grpc.pb.h>
#include <rhyton/framework/distribute/grpc/tensor_messages.h>
#include <rhyton/framework/distribute/grpc/tensor_stream.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>

namespace rhyton::distribute::grpc_module {
namespace {

std::uint64_t random_session() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

/// The calls of task.proto, passed on to the services of a task.
class TaskCalls final : public protocol::Task::Service {
 public:
  TaskCalls(TaskService& task, VariableService* variables, std::size_t max_tensor_bytes)
      : task_(task), variables_(variables), max_tensor_bytes_(max_tensor_bytes), session_(random_session()) {
    // In place of the generated class for the messages of streams of tensors (tensor_messages.h).
    receive_tensors<protocol::Nothing>("Create", &TaskCalls::create);
    receive_tensors<protocol::Nothing>("Assign", &TaskCalls::assign);
    receive_tensors<protocol::Steps>("ApplyGradients", &TaskCalls::apply_gradients);
    const auto read = [this](grpc::ServerContext* context, TensorWriter* parts) {
      protocol::Names request;
      return parts->Read(&request) ? send_tensors(*context, request, *parts) : grpc::Status::CANCELLED;
    };
    MarkMethodStreamed(index_of("Read"),
                       new grpc::internal::SplitServerStreamingHandler<protocol::Names, grpc::ByteBuffer>(read));
  }

  std::uint64_t session() const { return session_; }

  grpc::Status Greet(grpc::ServerContext* /*context*/, const protocol::Greeting* request,
                     protocol::Greeting* reply) override {
    return answered([&] {
      const TaskGreeting own =
          task_.greet({.protocol_version = request->protocol_version(),
                       .library_version = request->library_version(),
                       .task = {.type = request->job_name(), .index = request->task_index()},
                       .cluster = ClusterSpec::parse(request->cluster(), "cluster of the caller")});
      reply->set_protocol_version(own.protocol_version);
      reply->set_library_version(own.library_version);
      reply->set_job_name(own.task.type);
      reply->set_task_index(own.task.index);
      reply->set_cluster(own.cluster.as_dict().dump());
      reply->set_session(session_);
    });
  }

  grpc::Status SetOptimizer(grpc::ServerContext* context, const protocol::Optimizer* request,
                            protocol::Nothing* /*reply*/) override {
    return answered(*context, [&] { variables().set_optimizer(io::Json::parse(request->config(), "optimizer")); });
  }

  grpc::Status Iterations(grpc::ServerContext* context, const protocol::Nothing* /*request*/,
                          protocol::Steps* reply) override {
    return answered(*context, [&] { reply->set_iterations(variables().iterations()); });
  }

  grpc::Status ShutDown(grpc::ServerContext* context, const protocol::Nothing* /*request*/,
                        protocol::Nothing* /*reply*/) override {
    return answered(*context, [&] {
      if (variables_ == nullptr) {
        throw RuntimeError("The task ends with its program; it is not shut down by other tasks.");
      }
      variables_->shut_down();
    });
  }

  grpc::Status Call(grpc::ServerContext* context,
                    grpc::ServerReaderWriter<protocol::CallPart, protocol::CallPart>* parts) override {
    return answered(*context, [&] {
      CallReader reader(max_tensor_bytes_);
      protocol::CallPart part;
      while (parts->Read(&part)) reader.add(part);
      const io::Json arguments = reader.json("arguments of a call");
      const TaskReply reply =
          task_.call({.function = reader.function(), .arguments = arguments, .tensors = reader.take()}, {});
      // A broken connection needs no answer.
      write_call(*parts, "", reply.values, reply.tensors);
    });
  }

 private:
  using TensorWriter = grpc::ServerSplitStreamer<protocol::Names, grpc::ByteBuffer>;

  void create(const std::vector<NamedTensor>& values, protocol::Nothing& /*reply*/) { variables().create(values); }
  void assign(const std::vector<NamedTensor>& values, protocol::Nothing& /*reply*/) { variables().assign(values); }
  void apply_gradients(const std::vector<NamedTensor>& gradients, protocol::Steps& reply) {
    reply.set_iterations(variables().apply_gradients(gradients));
  }

  grpc::Status send_tensors(const grpc::ServerContext& context, const protocol::Names& request, TensorWriter& parts) {
    return answered(context, [&] {
      const std::vector<std::string> names(request.name().begin(), request.name().end());
      // A broken connection needs no answer.
      write_tensor_messages(parts, variables().read(names));
    });
  }

  VariableService& variables() const {
    if (variables_ != nullptr) return *variables_;
    throw RuntimeError("The task holds no variables for other tasks: expected a parameter server.");
  }

  /// The number of a method, in the order of task.proto.
  static int index_of(const char* method) {
    return protocol::TensorPart::descriptor()->file()->FindServiceByName("Task")->FindMethodByName(method)->index();
  }

  /// Has `call` answer the calls of a method that sends a stream of tensors. gRPC owns the handler.
  template <class Reply>
  void receive_tensors(const char* method, void (TaskCalls::*call)(const std::vector<NamedTensor>&, Reply&)) {
    const auto handle = [call](TaskCalls* calls, grpc::ServerContext* context,
                               grpc::ServerReader<grpc::ByteBuffer>* parts, Reply* reply) {
      return calls->answered(*context, [&] { (calls->*call)(calls->received(*parts), *reply); });
    };
    MarkMethodStreamed(index_of(method),
                       new grpc::internal::ClientStreamingHandler<TaskCalls, grpc::ByteBuffer, Reply>(handle, this));
  }

  static grpc::Status answered(const std::function<void()>& call) {
    try {
      call();
      return grpc::Status::OK;
    } catch (...) {
      return status_of_exception();
    }
  }

  grpc::Status answered(const grpc::ServerContext& context, const std::function<void()>& call) const {
    return answered([&] {
      require_session(context);
      call();
    });
  }

  void require_session(const grpc::ServerContext& context) const {
    const auto found = context.client_metadata().find(session_key);
    if (found == context.client_metadata().end()) throw RuntimeError("a call came without a greeting before it");
    const std::string session(found->second.data(), found->second.size());
    if (session == std::to_string(session_)) return;
    throw RuntimeError("the task was started again since the caller's greeting, and has lost its variables (session " +
                       std::to_string(session_) + ", the caller's is " + session + ")");
  }

  std::vector<NamedTensor> received(grpc::ServerReader<grpc::ByteBuffer>& parts) const {
    TensorReader reader(max_tensor_bytes_);
    grpc::ByteBuffer part;
    while (parts.Read(&part)) reader.add(part);
    return reader.take();
  }

  TaskService& task_;
  VariableService* const variables_;
  const std::size_t max_tensor_bytes_;
  const std::uint64_t session_;
};

class GrpcListener final : public TaskListener {
 public:
  GrpcListener(const std::string& address, const TaskServices& services, const TransportOptions& options)
      : calls_(services.task, services.variables, options.max_tensor_bytes) {
    if (services.devices != nullptr) {
      device_calls_.emplace(*services.devices, options.max_tensor_bytes, calls_.session());
    }
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(address, server_credentials(options.security), &port);
    builder.RegisterService(&calls_);
    if (device_calls_) builder.RegisterService(&*device_calls_);
    builder.SetMaxReceiveMessageSize(max_message_bytes);
    builder.SetMaxSendMessageSize(max_message_bytes);
    // A second task at the same address must fail, not share it.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, keepalive_ms);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keepalive_timeout_ms);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, keepalive_ms / 2);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port == 0) {
      throw RuntimeError("Nothing can listen on '" + address +
                         "': the address is in use, or it is none of this machine's.");
    }
  }
  ~GrpcListener() override { GrpcListener::stop(); }

  void stop() override {
    if (device_calls_) device_calls_->stop();
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  }

 private:
  TaskCalls calls_;
  std::optional<DeviceCalls> device_calls_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

std::unique_ptr<TaskListener> listen(const std::string& address, const TaskServices& services,
                                     const TransportOptions& options) {
  return std::make_unique<GrpcListener>(address, services, options);
}

}  // namespace rhyton::distribute::grpc_module
