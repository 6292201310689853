#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <device_memory.h>

namespace rhyton::cuda_emulation {

struct Queued;

/// A piece of work and the devices whose memory it touches.
struct Work {
  std::function<void()> run = nullptr;
  Devices devices = 0;
  /// Called when the work is queued, work of a graph at each launch: may give it a synchronization point.
  std::function<void(const std::shared_ptr<Queued>&)> meet = nullptr;
};

/// A joint action of several streams, such as a collective operation of a library: runs once, when the work of each of
/// them is the first in its queue.
struct JointAction {
  std::size_t members = 0;
  /// The members' queued work.
  std::vector<std::shared_ptr<Queued>> queued{};
  Work work{};
  bool is_over = false;
  /// Whether a member has left: the remaining ones wait until they leave as well.
  bool is_broken = false;
};

/// Work submitted to a stream that is not done, or is done but still referenced.
struct Queued {
  CUstream_st* stream;
  Work work;
  /// Work that must be done first, besides earlier work of the same stream.
  std::vector<std::shared_ptr<Queued>> after;
  std::shared_ptr<JointAction> joint_action = nullptr;
  bool is_done = false;
  std::chrono::steady_clock::time_point done_at{};
};

/// A piece of work of a graph, and the indices of the nodes that must be done first.
struct GraphNode {
  Work work;
  std::vector<std::size_t> after;
};

/// A recording in progress. Its nodes are in the order of recording, which satisfies all events.
struct Capture {
  struct Branch {
    /// The nodes that the next node of this stream waits for.
    std::vector<std::size_t> after;
    /// The number of nodes of this stream, and how many of them the stream that began the capture waits for.
    std::size_t nodes = 0;
    std::size_t joined = 0;
    bool is_joined = false;
  };

  CUstream_st* origin;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool is_valid = true;
  bool has_ended = false;
  std::vector<GraphNode> nodes;
  std::map<CUstream_st*, Branch> branches;
};

}  // namespace rhyton::cuda_emulation

struct CUstream_st {
  int device;
  /// Whether it is the default stream, and whether it and the default stream wait for each other.
  bool is_default;
  bool is_blocking;
  std::deque<std::shared_ptr<rhyton::cuda_emulation::Queued>> queue{};
  std::shared_ptr<rhyton::cuda_emulation::Queued> last{};
  std::shared_ptr<rhyton::cuda_emulation::Capture> capture{};
};

struct CUevent_st {
  int device;
  bool has_time;
  /// The work that it follows; null before the first record.
  std::shared_ptr<rhyton::cuda_emulation::Queued> mark;
  /// The capture that it was recorded in and its position there.
  std::shared_ptr<rhyton::cuda_emulation::Capture> capture;
  CUstream_st* captured_stream = nullptr;
  std::size_t captured_nodes = 0;
  std::vector<std::size_t> captured_after{};
};

struct CUgraph_st {
  std::vector<rhyton::cuda_emulation::GraphNode> nodes;
};

struct CUgraphExec_st {
  std::shared_ptr<const std::vector<rhyton::cuda_emulation::GraphNode>> nodes;
  std::size_t launches = 0;
};

namespace rhyton::cuda_emulation {

/// The stream of a handle, the current device's default stream for none; null for one that does not exist.
CUstream_st* stream_of(cudaStream_t handle);
cudaStream_t make_stream(bool is_blocking);
/// Finishes the remaining work of the stream first.
void destroy_stream(CUstream_st* stream);

/// Appends work to a stream, or to the graph that the stream records.
cudaError_t submit(CUstream_st* stream, Work work);

/// Runs the work of the stream up to and including this, and its dependencies. If a synchronization point lacks
/// members, waits until other threads have added them, with the mutex of calls.h released meanwhile: it must not be
/// held twice.
void finish(const std::shared_ptr<Queued>& queued);
cudaError_t finish(CUstream_st* stream);
void finish_device(int device);
/// Runs the work of all devices that does not depend on calls of other threads.
void finish_possible();

/// Releases the mutex until another thread calls `tell_waiting_threads`: when members join synchronization points or
/// leave.
void wait_for_other_threads();
void tell_waiting_threads();
/// Runs one piece of work, if there is one, as if time had passed.
void advance(CUstream_st* stream);

/// Runs work in the middle of other work, such as a node of a graph.
void run(const Work& work);

// Rules of captures.

/// For calls that are not allowed on a stream that records: returns the error and invalidates the recording.
cudaError_t refuse_if_capturing(CUstream_st* stream, cudaError_t error = cudaErrorStreamCaptureUnsupported);
/// For calls that the capture modes restrict, such as allocation.
cudaError_t refuse_unsafe_call();
/// For calls that wait for a device.
cudaError_t refuse_if_device_captures(int device);
/// The mode of this thread, which cudaThreadExchangeStreamCaptureMode changes.
cudaStreamCaptureMode& capture_mode_of_thread();
void begin_capture(CUstream_st* stream, cudaStreamCaptureMode mode);
/// The maximum length of a chain of nodes that wait for each other.
std::int64_t longest_chain(const std::vector<GraphNode>& nodes);
/// A valid order of the nodes, a different one at each launch: CUDA guarantees only that a node runs after the nodes
/// that it waits for.
std::vector<std::size_t> order_of_launch(const std::vector<GraphNode>& nodes, std::size_t launch);
cudaError_t end_capture(CUstream_st* stream, cudaGraph_t* graph);

}  // namespace rhyton::cuda_emulation
