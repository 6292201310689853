#include <rhyton/framework/distribute/grpc/device_server.h>

#include <chrono>
#include <random>
#include <utility>
#include <vector>

#include <rhyton/framework/distribute/grpc/connection.h>
#include <rhyton/framework/distribute/grpc/device_messages.h>
#include <rhyton/framework/distribute/grpc/remote_session.h>
#include <rhyton/framework/distribute/grpc/status.h>
#include <rhyton/framework/distribute/grpc/tensor_stream.h>
#include <rhyton/framework/error.h>

namespace rhyton::distribute::grpc_module {
namespace {

using Clock = std::chrono::steady_clock;

/// How often a held session looks whether its client is still there.
constexpr std::chrono::milliseconds interval_of_checks{200};
/// How long after Open a client may take to hold its session.
constexpr std::chrono::seconds time_to_hold{30};

std::string metadata(const grpc::ServerContext& context, const char* key) {
  const auto found = context.client_metadata().find(key);
  return found == context.client_metadata().end() ? "" : std::string(found->second.data(), found->second.size());
}

std::uint64_t random_number() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

grpc::Status answer(const std::function<void()>& call) {
  try {
    call();
    return grpc::Status::OK;
  } catch (...) {
    return status_of_exception();
  }
}

}  // namespace

DeviceCalls::DeviceCalls(DeviceService& devices, std::size_t max_tensor_bytes, std::uint64_t task_session)
    : devices_(devices), max_tensor_bytes_(max_tensor_bytes), task_session_(std::to_string(task_session)) {}

void DeviceCalls::require_task_session(const grpc::ServerContext& context) const {
  if (metadata(context, session_key) == task_session_) return;
  throw RuntimeError("the task was started again since the client connected, and has lost its memory: connect again");
}

std::shared_ptr<DeviceSession> DeviceCalls::find(const grpc::ServerContext& context) {
  require_task_session(context);
  const std::scoped_lock lock(mutex_);
  const auto found = sessions_.find(metadata(context, devices_key));
  if (found == sessions_.end()) throw RuntimeError("the task has ended the client's session: connect again");
  return found->second.session;
}

grpc::Status DeviceCalls::answered(const grpc::ServerContext& context,
                                   const std::function<void(DeviceSession&)>& call) {
  return answer([&] { call(*find(context)); });
}

void DeviceCalls::drop_abandoned() {
  const std::scoped_lock lock(mutex_);
  const Clock::time_point now = Clock::now();
  std::erase_if(sessions_,
                [&](const auto& entry) { return !entry.second.is_held && now - entry.second.opened > time_to_hold; });
}

grpc::Status DeviceCalls::Open(grpc::ServerContext* context, const protocol::Nothing* /*request*/,
                               protocol::DeviceList* reply) {
  return answer([&] {
    require_task_session(*context);
    drop_abandoned();
    std::shared_ptr<DeviceSession> session = devices_.open_session();
    const std::uint64_t number = random_number();
    reply->set_session(number);
    reply->set_cpus(session->cpus());
    const std::scoped_lock lock(mutex_);
    sessions_[std::to_string(number)] = {std::move(session), false, Clock::now()};
  });
}

grpc::Status DeviceCalls::Hold(grpc::ServerContext* context, const protocol::Nothing* /*request*/,
                               grpc::ServerWriter<protocol::Nothing>* /*parts*/) {
  return answer([&] {
    require_task_session(*context);
    const std::string number = metadata(*context, devices_key);
    std::unique_lock lock(mutex_);
    const auto found = sessions_.find(number);
    if (found == sessions_.end() || found->second.is_held) throw RuntimeError("the client has no such session");
    found->second.is_held = true;
    while (!is_stopped_ && !context->IsCancelled()) stopped_.wait_for(lock, interval_of_checks);
    // Destroyed without the lock.
    const std::shared_ptr<DeviceSession> session = std::move(found->second.session);
    sessions_.erase(found);
    lock.unlock();
  });
}

grpc::Status DeviceCalls::Write(grpc::ServerContext* context, grpc::ServerReader<protocol::MemoryPart>* parts,
                                protocol::Nothing* /*reply*/) {
  return answered(*context, [&](DeviceSession& session) {
    TensorReader reader(max_tensor_bytes_);
    MemoryRegion region;
    bool is_first = true;
    protocol::MemoryPart part;
    while (parts->Read(&part)) {
      if (is_first != part.has_region()) throw ValueError("The first part of a tensor's bytes alone says their place.");
      if (is_first) region = region_of(part.region());
      is_first = false;
      reader.add(part.part());
    }
    const std::vector<NamedTensor> tensors = reader.take();
    if (tensors.size() != 1 || !tensors[0].indices.is_empty()) throw ValueError("A write has one tensor.");
    const Tensor& tensor = tensors[0].value;
    session.write(region, {static_cast<const std::byte*>(tensor.raw_data()), tensor.spec().bytes()});
  });
}

grpc::Status DeviceCalls::Read(grpc::ServerContext* context, const protocol::ReadRequest* request,
                               grpc::ServerWriter<protocol::TensorPart>* parts) {
  return answered(*context, [&](DeviceSession& session) {
    const MemoryRegion region = region_of(request->region());
    // Checked before memory for them is taken; reading nothing checks the place.
    session.read(region, {});
    if (request->bytes() > region.block_bytes) throw ValueError("A read is longer than its block.");
    Tensor tensor = Tensor::uninitialized({static_cast<std::int64_t>(request->bytes())}, DType::uint8);
    session.read(region, {static_cast<std::byte*>(tensor.mutable_raw_data()), tensor.spec().bytes()});
    // A broken connection needs no answer.
    write_tensors(*parts, {{.name = "bytes", .value = tensor}});
  });
}

grpc::Status DeviceCalls::Copy(grpc::ServerContext* context, const protocol::CopyRequest* request,
                               protocol::Nothing* /*reply*/) {
  return answered(*context, [&](DeviceSession& session) {
    session.copy(region_of(request->target()), region_of(request->source()), request->bytes());
  });
}

grpc::Status DeviceCalls::Call(grpc::ServerContext* context, const protocol::OpCall* request,
                               protocol::Nothing* /*reply*/) {
  return answered(*context, [&](DeviceSession& session) { session.call(call_of(*request)); });
}

grpc::Status DeviceCalls::Compile(grpc::ServerContext* context, grpc::ServerReader<protocol::GraphPart>* parts,
                                  protocol::GraphHandle* reply) {
  return answered(*context, [&](DeviceSession& session) {
    GraphReader reader;
    protocol::GraphPart part;
    while (parts->Read(&part)) reader.add(part);
    reply->set_graph(session.compile(reader.take()));
  });
}

grpc::Status DeviceCalls::Run(grpc::ServerContext* context, const protocol::GraphRun* request,
                              protocol::Nothing* /*reply*/) {
  return answered(*context, [&](DeviceSession& session) { session.run(run_of(*request)); });
}

grpc::Status DeviceCalls::Release(grpc::ServerContext* context, const protocol::Released* request,
                                  protocol::Nothing* /*reply*/) {
  return answered(*context, [&](DeviceSession& session) {
    session.release({request->blocks().begin(), request->blocks().end()},
                    {request->graphs().begin(), request->graphs().end()});
  });
}

void DeviceCalls::stop() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
  }
  stopped_.notify_all();
}

}  // namespace rhyton::distribute::grpc_module
