#include <rhyton/framework/distribute/remote_device.h>

#include <iterator>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include <rhyton/framework/distribute/remote_errors.h>
#include <rhyton/framework/distribute/remote_executor.h>
#include <rhyton/framework/distribute/remote_graph.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/remote_stream.h>

namespace rhyton::distribute {
namespace {

/// Blocks that are needed no more are released with the next op, or by a call of their own from these limits on.
constexpr std::size_t max_released_bytes = std::size_t{16} << 20;
constexpr std::size_t max_released_blocks = 1024;
constexpr std::size_t alignment_of_blocks = 64;

class RemoteMemory final : public Allocator {
 public:
  RemoteMemory(std::shared_ptr<TaskConnection> connection, std::string name)
      : connection_(std::move(connection)), name_(std::move(name)) {}

  void* allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    return reinterpret_cast<void*>(connection_->allocate(bytes));  // NOLINT: an address of the other task
  }
  void deallocate(void* block, std::size_t /*bytes*/) noexcept override {
    connection_->release(reinterpret_cast<std::uint64_t>(block));
  }
  /// Of all devices of the task.
  AllocatorStatistics statistics() const override {
    const std::size_t bytes = connection_->bytes();
    return {.in_use = bytes, .peak = bytes, .limit = {}, .blocks = connection_->blocks()};
  }
  void reset_peak() override {}
  const std::string& name() const override { return name_; }

 private:
  std::shared_ptr<TaskConnection> connection_;
  std::string name_;
};

class TaskStream final : public RemoteStream {
 public:
  TaskStream(std::shared_ptr<TaskConnection> connection, std::string device, int index)
      : connection_(std::move(connection)), device_(std::move(device)), index_(index) {}

  void copy_from_host(void* device_target, const void* host_source, std::size_t bytes) override {
    if (bytes == 0) return;
    send("a copy to the device", [&](DeviceSession& session) {
      session.write(connection_->region(device_target), {static_cast<const std::byte*>(host_source), bytes});
    });
  }

  void copy_to_host(void* host_target, const void* device_source, std::size_t bytes) override {
    if (bytes == 0) return;
    send("a copy from the device", [&](DeviceSession& session) {
      session.read(connection_->region(device_source), {static_cast<std::byte*>(host_target), bytes});
    });
  }

  void copy(void* device_target, const void* device_source, std::size_t bytes) override {
    if (bytes == 0) return;
    send("a copy within the task", [&](DeviceSession& session) {
      session.copy(connection_->region(device_target), connection_->region(device_source), bytes);
    });
  }

  void copy_from_peer(void* device_target, Stream& source_stream, const void* source, std::size_t bytes) override {
    const auto* const peer = dynamic_cast<const TaskStream*>(&source_stream);
    if (peer != nullptr && peer->connection_ == connection_) return copy(device_target, source, bytes);
    Stream::copy_from_peer(device_target, source_stream, source, bytes);
  }

  void fill(void* device_target, unsigned char value, std::size_t bytes) override {
    const std::vector<std::byte> elements(bytes, std::byte{value});
    copy_from_host(device_target, elements.data(), bytes);
  }

  void synchronize() override {}

  void run(const Op& op, std::span<const TensorView> inputs, std::span<const TensorView> outputs) override {
    require_sendable(op, device_);
    RemoteCall call{.op = std::string(op.name()), .attributes = op.attributes(), .device = index_};
    for (const TensorView& input : inputs) call.inputs.push_back({connection_->region(input.data), input.spec});
    for (const TensorView& output : outputs) call.outputs.push_back({connection_->region(output.data), output.spec});
    send("op " + call.op, [&](DeviceSession& session) {
      call.released = connection_->take_released();
      session.call(call);
    });
  }

 private:
  template <class Work>
  void send(const std::string& what, const Work& work) {
    with_device(what, device_, [&] {
      const std::shared_ptr<DeviceSession> session = connection_->session();
      connection_->send_released(*session);
      work(*session);
    });
  }

  std::shared_ptr<TaskConnection> connection_;
  std::string device_;
  int index_;
};

std::string name_of_device(const TaskConnection& connection, int index) {
  return connection.name() + "/device:CPU:" + std::to_string(index);
}

}  // namespace

std::shared_ptr<DeviceSession> TaskConnection::session() const {
  const std::scoped_lock lock(mutex_);
  if (session_ == nullptr) throw UnavailableError(name_ + " is not connected.");
  return session_;
}

void TaskConnection::connect(std::shared_ptr<DeviceSession> session, std::uint64_t run) {
  const std::scoped_lock lock(mutex_);
  std::swap(session_, session);
  run_ = run;
  released_.clear();
  released_bytes_ = 0;
  released_graphs_.clear();
}

bool TaskConnection::is_connected_with(std::uint64_t run) const {
  std::shared_ptr<DeviceSession> session;
  {
    const std::scoped_lock lock(mutex_);
    if (session_ == nullptr || run_ != run) return false;
    session = session_;
  }
  try {
    session->release({}, {});
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::uint64_t TaskConnection::allocate(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t address = next_address_;
  // Blocks without bytes have addresses of their own too.
  const std::size_t taken = (bytes / alignment_of_blocks + 1) * alignment_of_blocks;
  if (taken > std::numeric_limits<std::uint64_t>::max() / 2 - next_address_) {
    throw ResourceExhaustedError("The addresses of the memory of " + name_ + " are used up.");
  }
  blocks_.emplace(address, bytes);
  next_address_ += taken;
  bytes_ += bytes;
  return address;
}

void TaskConnection::release(std::uint64_t address) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return;
  bytes_ -= found->second;
  released_bytes_ += found->second;
  blocks_.erase(found);
  try {
    released_.push_back(address);
  } catch (const std::bad_alloc&) {
    // The task keeps it until the session ends.
  }
}

void TaskConnection::release_graph(std::uint64_t graph, const std::weak_ptr<DeviceSession>& session) noexcept {
  const std::scoped_lock lock(mutex_);
  if (session.owner_before(session_) || session_.owner_before(session)) return;
  try {
    released_graphs_.push_back(graph);
  } catch (const std::bad_alloc&) {
    // As above.
  }
}

MemoryRegion TaskConnection::region(const void* address) const {
  const auto number = reinterpret_cast<std::uint64_t>(address);
  const std::scoped_lock lock(mutex_);
  const auto next = blocks_.upper_bound(number);
  if (next == blocks_.begin()) throw ValueError("The address " + std::to_string(number) + " is not of " + name_ + ".");
  const auto& [block, bytes] = *std::prev(next);
  return {.block = block, .block_bytes = bytes, .offset = number - block};
}

std::vector<std::uint64_t> TaskConnection::take_released() {
  const std::scoped_lock lock(mutex_);
  released_bytes_ = 0;
  return std::exchange(released_, {});
}

void TaskConnection::send_released(DeviceSession& session) {
  std::vector<std::uint64_t> blocks;
  std::vector<std::uint64_t> graphs;
  {
    const std::scoped_lock lock(mutex_);
    const bool are_many = released_bytes_ >= max_released_bytes || released_.size() >= max_released_blocks;
    if (!are_many && released_graphs_.empty()) return;
    blocks = std::exchange(released_, {});
    released_bytes_ = 0;
    graphs = std::exchange(released_graphs_, {});
  }
  session.release(blocks, graphs);
}

std::size_t TaskConnection::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

std::size_t TaskConnection::blocks() const {
  const std::scoped_lock lock(mutex_);
  return blocks_.size();
}

RemoteDevice::RemoteDevice(std::shared_ptr<TaskConnection> connection, int index)
    : LogicalDevice("CPU", index, name_of_device(*connection, index),
                    std::make_unique<RemoteMemory>(connection, name_of_device(*connection, index)),
                    std::make_unique<TaskStream>(connection, name_of_device(*connection, index), index)),
      connection_(std::move(connection)) {}

std::unique_ptr<graph::Executor> RemoteDevice::make_executor(const graph::Graph& graph,
                                                             const graph::ExecutableOptions& options) {
  return std::make_unique<RemoteExecutor>(graph, options, *this);
}

}  // namespace rhyton::distribute
