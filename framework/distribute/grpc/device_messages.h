#pragma once

#include <cstddef>
#include <vector>

#include <rhyton/framework/distribute/device_session.h>
#include <rhyton/framework/distribute/grpc/devices.pb.h>

namespace rhyton::distribute::grpc_module {

// The messages of devices.proto and what they mean. The functions that read messages, which may come from anyone, throw
// ValueError for shapes and dtypes that there are not; numbers are checked by those who use them.

MemoryRegion region_of(const protocol::Region& message);
RemoteCall call_of(const protocol::OpCall& message);
RemoteRun run_of(const protocol::GraphRun& message);

void write(const MemoryRegion& region, protocol::Region& message);
protocol::OpCall message_of(const RemoteCall& call);
protocol::GraphRun message_of(const RemoteRun& run);

/// Puts a graph together from its parts.
class GraphReader {
 public:
  /// Throws ValueError for a part after the end, and where all of them are larger than a graph may be.
  void add(const protocol::GraphPart& part);
  /// Throws ValueError where the end is missing.
  RemoteGraph take();

 private:
  RemoteGraph graph_;
  std::size_t bytes_ = 0;
  bool has_ended_ = false;
};

/// The parts of a graph, each smaller than a message may be.
std::vector<protocol::GraphPart> parts_of(const RemoteGraph& graph);

}  // namespace rhyton::distribute::grpc_module
