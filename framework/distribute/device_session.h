#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::distribute {

/// Bytes in the memory of a session, which the client addresses: blocks have numbers that it chooses, and a size, and
/// come into being when something is written to them.
struct MemoryRegion {
  std::uint64_t block = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t offset = 0;
};

struct RemoteTensor {
  MemoryRegion region = {};
  TensorSpec spec = {};
};

/// One call of an op, as `Op::name` and `Op::attributes` describe it.
struct RemoteCall {
  std::string op = {};
  std::string attributes = {};
  std::vector<RemoteTensor> inputs = {};
  std::vector<RemoteTensor> outputs = {};
  /// The number of the CPU.
  int device = 0;
  /// Blocks that are needed no more.
  std::vector<std::uint64_t> released = {};
};

/// A graph. Its values are counted: inputs, constants, variables, then the outputs of the nodes.
struct RemoteGraph {
  struct Input {
    TensorSpec spec = {};
    int batch_axis = -1;
  };
  struct Variable {
    TensorSpec spec = {};
    bool carries_batch = false;
  };
  struct Node {
    std::string op = {};
    std::string attributes = {};
    std::vector<std::int32_t> inputs = {};
    std::string scope = {};
  };
  struct Update {
    std::int32_t variable = 0;
    std::int32_t value = 0;
  };

  std::string name = {};
  int device = 0;
  std::vector<Input> inputs = {};
  std::vector<RemoteTensor> constants = {};
  std::vector<Variable> variables = {};
  std::vector<Node> nodes = {};
  std::vector<std::int32_t> outputs = {};
  std::vector<Update> updates = {};
};

/// One run of a graph, with the places of its inputs, variables and outputs.
struct RemoteRun {
  std::uint64_t graph = 0;
  std::vector<MemoryRegion> inputs = {};
  std::vector<MemoryRegion> variables = {};
  std::vector<MemoryRegion> outputs = {};
  std::vector<std::uint64_t> released = {};
};

/// The CPUs of a task and the memory there of one client. Implemented by the task itself, and by its representative in
/// the client's process, which sends each call to it. Called by several threads at once; calls take turns. All
/// functions throw ValueError for arguments that do not fit, NotFoundError for memory that nothing was written to and
/// for unknown graphs, and what ops throw; a representative also throws UnavailableError.
class DeviceSession {
 public:
  virtual ~DeviceSession() = default;

  /// The number of the task's CPUs.
  virtual int cpus() const = 0;
  virtual void write(const MemoryRegion& target, std::span<const std::byte> bytes) = 0;
  virtual void read(const MemoryRegion& source, std::span<std::byte> bytes) = 0;
  virtual void copy(const MemoryRegion& target, const MemoryRegion& source, std::uint64_t bytes) = 0;
  virtual void call(const RemoteCall& call) = 0;
  /// Compiles the graph, which stays until it is released; returns its number.
  virtual std::uint64_t compile(const RemoteGraph& graph) = 0;
  virtual void run(const RemoteRun& run) = 0;
  virtual void release(const std::vector<std::uint64_t>& blocks, const std::vector<std::uint64_t>& graphs) = 0;
};

/// Opens sessions for clients.
class DeviceService {
 public:
  virtual ~DeviceService() = default;
  /// A session of its own, with memory that no other one sees. Throws ResourceExhaustedError where there are too many.
  virtual std::shared_ptr<DeviceSession> open_session() = 0;
};

}  // namespace rhyton::distribute
