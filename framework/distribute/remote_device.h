#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/distribute/device_session.h>
#include <rhyton/framework/graph/graph_device.h>

namespace rhyton::distribute {

/// The connection with another task that its devices share: the session, and which addresses of its memory are in use.
/// May be called by several threads.
class TaskConnection {
 public:
  /// "/job:ps/replica:0/task:0".
  explicit TaskConnection(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  /// Throws UnavailableError after `disconnect`.
  std::shared_ptr<DeviceSession> session() const;
  /// Takes the place of the session before, whose memory is lost. `run` identifies the run of the task.
  void connect(std::shared_ptr<DeviceSession> session, std::uint64_t run);
  /// Whether there is a session with that run of the task, which still answers.
  bool is_connected_with(std::uint64_t run) const;

  /// An address that no other block has had.
  std::uint64_t allocate(std::size_t bytes);
  void release(std::uint64_t address) noexcept;
  /// Has no effect on graphs of other sessions than the current one.
  void release_graph(std::uint64_t graph, const std::weak_ptr<DeviceSession>& session) noexcept;
  /// The place of an address within its block.
  MemoryRegion region(const void* address) const;
  /// Blocks that the task may release; each is returned once.
  std::vector<std::uint64_t> take_released();
  /// Tells the task which blocks and graphs it may release, if they are many.
  void send_released(DeviceSession& session);
  std::size_t bytes() const;
  std::size_t blocks() const;

 private:
  const std::string name_;
  mutable std::mutex mutex_;
  std::shared_ptr<DeviceSession> session_;
  std::uint64_t run_ = 0;
  std::uint64_t next_address_ = std::uint64_t{1} << 20;
  std::map<std::uint64_t, std::size_t> blocks_;
  std::size_t bytes_ = 0;
  std::vector<std::uint64_t> released_;
  std::size_t released_bytes_ = 0;
  std::vector<std::uint64_t> released_graphs_;
};

/// A CPU of another task. Its memory has addresses here, and its content there.
class RemoteDevice final : public LogicalDevice, public graph::GraphDevice {
 public:
  RemoteDevice(std::shared_ptr<TaskConnection> connection, int index);

  TaskConnection& connection() const { return *connection_; }
  std::unique_ptr<graph::Executor> make_executor(const graph::Graph& graph,
                                                 const graph::ExecutableOptions& options) override;

 private:
  std::shared_ptr<TaskConnection> connection_;
};

}  // namespace rhyton::distribute
