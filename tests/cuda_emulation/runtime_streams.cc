// The functions of the runtime about streams, events, captures, graphs and kernels.

#include <cuda_runtime.h>

#include <memory>
#include <set>
#include <utility>

#include <blocks.h>
#include <calls.h>
#include <emulator.h>
#include <streams.h>

namespace rhyton::cuda_emulation {
namespace {

std::set<CUevent_st*>& events() {
  static auto& all = *new std::set<CUevent_st*>();
  return all;
}
std::set<CUgraph_st*>& graphs() {
  static auto& all = *new std::set<CUgraph_st*>();
  return all;
}
std::set<CUgraphExec_st*>& executables() {
  static auto& all = *new std::set<CUgraphExec_st*>();
  return all;
}

bool is_captured(const CUevent_st& event) { return event.capture != nullptr; }

cudaError_t refuse_captured(const CUevent_st& event) {
  if (!event.capture->has_ended) event.capture->is_valid = false;
  return cudaErrorCapturedEvent;
}

// A stream that waits for an event of a capture joins the capture.
cudaError_t wait_in_capture(CUstream_st* stream, const CUevent_st& event) {
  if (!is_captured(event)) {
    if (event.mark == nullptr) return cudaSuccess;
    stream->capture->is_valid = false;
    return cudaErrorStreamCaptureIsolation;
  }
  if (event.capture->has_ended) return cudaErrorCapturedEvent;
  if (stream->capture != nullptr && stream->capture != event.capture) {
    stream->capture->is_valid = false;
    event.capture->is_valid = false;
    return cudaErrorStreamCaptureMerge;
  }
  if (!event.capture->is_valid) return cudaErrorStreamCaptureInvalidated;
  stream->capture = event.capture;
  Capture::Branch& branch = event.capture->branches[stream];
  if (stream != event.captured_stream) branch.is_joined = false;
  Capture::Branch& awaited = event.capture->branches[event.captured_stream];
  awaited.is_joined = true;
  awaited.joined = std::max(awaited.joined, event.captured_nodes);
  branch.after.insert(branch.after.end(), event.captured_after.begin(), event.captured_after.end());
  return cudaSuccess;
}

bool is_possible(const cudaLaunchConfig_t& configuration) {
  const dim3& grid = configuration.gridDim;
  const dim3& block = configuration.blockDim;
  const bool has_none = grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0;
  return !has_none && grid.x <= 2147483647u && grid.y <= 65535 && grid.z <= 65535 && block.x <= 1024 &&
         block.y <= 1024 && block.z <= 64 && std::uint64_t{block.x} * block.y * block.z <= 1024;
}

}  // namespace

cudaError_t enqueue(cudaStream_t handle, std::function<void()> work) {
  const std::scoped_lock lock(mutex());
  CUstream_st* const stream = stream_of(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  return remember(submit(stream, {std::move(work), only(stream->device)}));
}

cudaError_t launch(const cudaLaunchConfig_t* configuration, std::function<void()> thread) {
  return call("cudaLaunchKernelEx", [&]() -> cudaError_t {
    if (configuration == nullptr) return cudaErrorInvalidValue;
    if (!thread) return cudaErrorInvalidDeviceFunction;
    CUstream_st* const stream = stream_of(configuration->stream);
    if (stream == nullptr || stream->device != current_device()) return cudaErrorInvalidResourceHandle;
    if (!is_possible(*configuration)) return cudaErrorInvalidConfiguration;
    if (configuration->numAttrs != 0 || configuration->dynamicSmemBytes != 0) return cudaErrorNotSupported;
    ++counted().kernels_launched;
    return submit(stream, {[grid = configuration->gridDim, block = configuration->blockDim,
                            thread = std::move(thread)] { run_grid(grid, block, thread); },
                           reachable_from(stream->device)});
  });
}

int device_of(cudaStream_t handle) {
  const std::scoped_lock lock(mutex());
  const CUstream_st* const stream = stream_of(handle);
  return stream == nullptr ? -1 : stream->device;
}

}  // namespace rhyton::cuda_emulation

using namespace rhyton::cuda_emulation;

// Streams.

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return call("cudaStreamCreateWithFlags", [&]() -> cudaError_t {
    if (stream == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    *stream = make_stream(flags != cudaStreamNonBlocking);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return call("cudaStreamDestroy", [&]() -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr || stream->is_default) return cudaErrorInvalidResourceHandle;
    destroy_stream(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call("cudaStreamSynchronize", [&]() -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refuse_if_capturing(stream); error != cudaSuccess) return error;
    ++counted().synchronizations;
    return finish(stream);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call("cudaStreamQuery", [&]() -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refuse_if_capturing(stream); error != cudaSuccess) return error;
    if (stream->queue.empty()) return cudaSuccess;
    advance(stream);
    return cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned int flags) {
  return call("cudaStreamWaitEvent", [&]() -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr || !events().contains(event)) return cudaErrorInvalidResourceHandle;
    if (flags != 0) return cudaErrorInvalidValue;
    if (stream->capture != nullptr || is_captured(*event)) return wait_in_capture(stream, *event);
    if (event->mark == nullptr || event->mark->is_done) return cudaSuccess;
    if (const cudaError_t error = submit(stream, Work()); error != cudaSuccess) return error;
    stream->last->after.push_back(event->mark);
    return cudaSuccess;
  });
}

// Events.

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return call("cudaEventCreateWithFlags", [&]() -> cudaError_t {
    if (event == nullptr || flags > (cudaEventBlockingSync | cudaEventDisableTiming)) return cudaErrorInvalidValue;
    *event = new CUevent_st{.device = current_device(),
                            .has_time = (flags & cudaEventDisableTiming) == 0,
                            .mark = nullptr,
                            .capture = nullptr};
    events().insert(*event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  return call("cudaEventRecord", [&]() -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr || !events().contains(event) || stream->device != event->device) {
      return cudaErrorInvalidResourceHandle;
    }
    if (stream->capture != nullptr) {
      if (!stream->capture->is_valid) return cudaErrorStreamCaptureInvalidated;
      event->mark = nullptr;
      event->capture = stream->capture;
      event->captured_stream = stream;
      event->captured_nodes = stream->capture->branches[stream].nodes;
      event->captured_after = stream->capture->branches[stream].after;
      return cudaSuccess;
    }
    if (const cudaError_t error = submit(stream, Work()); error != cudaSuccess) return error;
    event->capture = nullptr;
    event->mark = stream->last;
    return cudaSuccess;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", [&]() -> cudaError_t {
    if (!events().contains(event)) return cudaErrorInvalidResourceHandle;
    if (is_captured(*event)) return refuse_captured(*event);
    ++counted().synchronizations;
    if (event->mark != nullptr) finish(std::shared_ptr<Queued>(event->mark));
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call("cudaEventQuery", [&]() -> cudaError_t {
    if (!events().contains(event)) return cudaErrorInvalidResourceHandle;
    if (is_captured(*event)) return refuse_captured(*event);
    if (const cudaError_t error = refuse_unsafe_call(); error != cudaSuccess) return error;
    if (event->mark == nullptr || event->mark->is_done) return cudaSuccess;
    advance(event->mark->stream);
    return cudaErrorNotReady;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call("cudaEventElapsedTime", [&]() -> cudaError_t {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (!events().contains(start) || !events().contains(end)) return cudaErrorInvalidResourceHandle;
    if (!start->has_time || !end->has_time) return cudaErrorInvalidResourceHandle;
    if (start->mark == nullptr || end->mark == nullptr) return cudaErrorInvalidResourceHandle;
    if (!start->mark->is_done || !end->mark->is_done) return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(end->mark->done_at - start->mark->done_at).count();
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call("cudaEventDestroy", [&]() -> cudaError_t {
    if (events().erase(event) == 0) return cudaErrorInvalidResourceHandle;
    delete event;
    return cudaSuccess;
  });
}

// Captures and graphs.

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCapture", [&]() -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->is_default) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture != nullptr) return cudaErrorIllegalState;
    begin_capture(stream, mode);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return call("cudaStreamEndCapture", [&]() -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (graph == nullptr) return cudaErrorInvalidValue;
    if (stream->capture == nullptr) return cudaErrorIllegalState;
    const Capture& capture = *stream->capture;
    if (capture.origin != stream) return cudaErrorStreamCaptureUnmatched;
    if (capture.mode != cudaStreamCaptureModeRelaxed && capture.thread != std::this_thread::get_id()) {
      return cudaErrorStreamCaptureWrongThread;
    }
    const cudaError_t error = end_capture(stream, graph);
    if (error == cudaSuccess) graphs().insert(*graph);
    return error;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call("cudaStreamIsCapturing", [&]() -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = stream->capture == nullptr  ? cudaStreamCaptureStatusNone
              : stream->capture->is_valid ? cudaStreamCaptureStatusActive
                                          : cudaStreamCaptureStatusInvalidated;
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call("cudaThreadExchangeStreamCaptureMode", [&]() -> cudaError_t {
    if (mode == nullptr) return cudaErrorInvalidValue;
    std::swap(*mode, capture_mode_of_thread());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return call("cudaGraphInstantiate", [&]() -> cudaError_t {
    if (executable == nullptr || !graphs().contains(graph)) return cudaErrorInvalidValue;
    *executable = new CUgraphExec_st{std::make_shared<const std::vector<GraphNode>>(graph->nodes)};
    executables().insert(*executable);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t handle) {
  return call("cudaGraphUpload", [&]() -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (!executables().contains(executable)) return cudaErrorInvalidValue;
    return refuse_if_capturing(stream);
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  return call("cudaGraphLaunch", [&]() -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (!executables().contains(executable)) return cudaErrorInvalidValue;
    if (const cudaError_t error = refuse_if_capturing(stream); error != cudaSuccess) return error;
    ++counted().graphs_launched;
    counted().longest_chain = longest_chain(*executable->nodes);
    // Node by node, as each may have to wait for other streams.
    for (const std::size_t number : order_of_launch(*executable->nodes, executable->launches++)) {
      const Work& work = (*executable->nodes)[number].work;
      const auto run_node = [nodes = executable->nodes, &work] {
        if (work.run) work.run();
      };
      if (const cudaError_t error = submit(stream, {run_node, work.devices, work.meet}); error != cudaSuccess) {
        return error;
      }
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return call("cudaGraphGetNodes", [&]() -> cudaError_t {
    if (!graphs().contains(graph) || count == nullptr) return cudaErrorInvalidValue;
    const std::size_t known = graph->nodes.size();
    if (nodes != nullptr) {
      for (std::size_t i = 0; i < *count; ++i) {
        nodes[i] = i < known ? reinterpret_cast<cudaGraphNode_t>(&graph->nodes[i]) : nullptr;
      }
      *count = std::min(*count, known);
    } else {
      *count = known;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call("cudaGraphDestroy", [&]() -> cudaError_t {
    if (graphs().erase(graph) == 0) return cudaErrorInvalidValue;
    delete graph;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return call("cudaGraphExecDestroy", [&]() -> cudaError_t {
    if (executables().erase(executable) == 0) return cudaErrorInvalidValue;
    delete executable;
    return cudaSuccess;
  });
}
