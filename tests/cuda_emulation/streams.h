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
  /// Called when the work is put into a queue, work of a graph with each launch: may give it a meeting.
  std::function<void(const std::shared_ptr<Queued>&)> meet = nullptr;
};

/// What several streams do together, such as a collective operation of a library: once, when the work of each of them
/// is the first in its queue.
struct Meeting {
  std::size_t members = 0;
  /// The members' work that is in queues.
  std::vector<std::shared_ptr<Queued>> queued{};
  Work work{};
  bool is_over = false;
  /// Whether a member has left: those who stay wait until they leave as well.
  bool is_broken = false;
};

/// Work that a stream was given and has not done, or has done while somebody still refers to it.
struct Queued {
  CUstream_st* stream;
  Work work;
  /// What has to be done first, beside what the same stream was given earlier.
  std::vector<std::shared_ptr<Queued>> after;
  std::shared_ptr<Meeting> meeting = nullptr;
  bool is_done = false;
  std::chrono::steady_clock::time_point done_at{};
};

/// A piece of work of a graph, and the places in the graph of what has to be done first.
struct GraphNode {
  Work work;
  std::vector<std::size_t> after;
};

/// A recording that is going on. Its nodes are in the order in which they were recorded, which fits all events.
struct Capture {
  struct Branch {
    /// What the next node of this stream waits for.
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
  /// Whether it is the stream that is meant by no stream, and whether the two wait for each other.
  bool is_default;
  bool is_blocking;
  std::deque<std::shared_ptr<rhyton::cuda_emulation::Queued>> queue{};
  std::shared_ptr<rhyton::cuda_emulation::Queued> last{};
  std::shared_ptr<rhyton::cuda_emulation::Capture> capture{};
};

struct CUevent_st {
  int device;
  bool has_time;
  /// The work that it stands behind; null before the first record.
  std::shared_ptr<rhyton::cuda_emulation::Queued> mark;
  /// The capture that it was recorded in and the place there.
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

/// The stream that a handle stands for, the current device's default stream for none; null for one that does not exist.
CUstream_st* stream_of(cudaStream_t handle);
cudaStream_t make_stream(bool is_blocking);
/// Does what the stream still has to do first.
void destroy_stream(CUstream_st* stream);

/// Puts work at the end of a stream, or into the graph that the stream records.
cudaError_t submit(CUstream_st* stream, Work work);

/// Does what the stream was given up to and including this, and what that waits for. Where a meeting lacks members it
/// waits until other threads have brought them, with the mutex of calls.h open meanwhile: nobody may hold it twice.
void finish(const std::shared_ptr<Queued>& queued);
cudaError_t finish(CUstream_st* stream);
void finish_device(int device);
/// Does what can be done of all devices' work without calls of other threads.
void finish_possible();

/// Lets the mutex go until another thread calls `tell_waiting_threads`: when members come to meetings or leave.
void wait_for_other_threads();
void tell_waiting_threads();
/// Does one piece of work, if there is one, as if time had passed.
void advance(CUstream_st* stream);

/// What work that runs in the middle of other work, such as a node of a graph, is called by.
void run(const Work& work);

// Rules of captures.

/// For calls that are not allowed on a stream that records: the error, which also spoils the recording.
cudaError_t refuse_if_capturing(CUstream_st* stream, cudaError_t error = cudaErrorStreamCaptureUnsupported);
/// For calls that the modes of captures are about, such as allocating.
cudaError_t refuse_unsafe_call();
/// For waiting for a device.
cudaError_t refuse_if_device_captures(int device);
/// The mode of this thread, which cudaThreadExchangeStreamCaptureMode changes.
cudaStreamCaptureMode& capture_mode_of_thread();
void begin_capture(CUstream_st* stream, cudaStreamCaptureMode mode);
/// The most nodes of which each waits for the one before.
std::int64_t longest_chain(const std::vector<GraphNode>& nodes);
/// An order in which the nodes may run, another one with each launch: what CUDA promises is no more than that a node
/// runs behind those that it waits for.
std::vector<std::size_t> order_of_launch(const std::vector<GraphNode>& nodes, std::size_t launch);
cudaError_t end_capture(CUstream_st* stream, cudaGraph_t* graph);

}  // namespace rhyton::cuda_emulation
