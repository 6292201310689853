#include <streams.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <random>
#include <set>
#include <utility>

#include <calls.h>

namespace rhyton::cuda_emulation {
namespace {

std::set<CUstream_st*>& streams() {
  static auto& all = *new std::set<CUstream_st*>();
  return all;
}

CUstream_st* default_stream(int device) {
  static auto& all = *new std::array<CUstream_st*, max_devices>();
  CUstream_st*& stream = all[static_cast<std::size_t>(device)];
  if (stream == nullptr) {
    stream = new CUstream_st{.device = device, .is_default = true, .is_blocking = true};
    streams().insert(stream);
  }
  return stream;
}

// Whether work of one stream waits for earlier work of the other one without any event.
bool waits_for(const CUstream_st& stream, const CUstream_st& other) {
  if (&stream == &other || stream.device != other.device) return false;
  return (stream.is_default && other.is_blocking) || (other.is_default && stream.is_blocking);
}

std::condition_variable_any& other_threads() {
  static auto& all = *new std::condition_variable_any();
  return all;
}

// The stream whose first work must run next so that that of the given one can; null if that depends on calls that have
// not been made yet.
CUstream_st* next_to_run(CUstream_st* stream, int depth = 0) {
  if (depth > 10'000) fail("Streams wait for each other forever.");
  const Queued& first = *stream->queue.front();
  for (const std::shared_ptr<Queued>& earlier : first.after) {
    if (!earlier->is_done) return next_to_run(earlier->stream, depth + 1);
  }
  if (first.joint_action == nullptr || first.joint_action->is_over) return stream;
  const JointAction& joint_action = *first.joint_action;
  if (joint_action.is_broken || joint_action.queued.size() < joint_action.members) return nullptr;
  for (const std::shared_ptr<Queued>& member : joint_action.queued) {
    if (member->stream->queue.front() != member) return next_to_run(member->stream, depth + 1);
    for (const std::shared_ptr<Queued>& earlier : member->after) {
      if (!earlier->is_done) return next_to_run(earlier->stream, depth + 1);
    }
  }
  return stream;
}

void run_first(CUstream_st* stream) {
  const std::shared_ptr<Queued> first = stream->queue.front();
  if (JointAction* const joint_action = first->joint_action.get(); joint_action != nullptr && !joint_action->is_over) {
    run(joint_action->work);
    joint_action->is_over = true;
    joint_action->work = Work();
    joint_action->queued.clear();
  }
  stream->queue.pop_front();
  run(first->work);
  first->work = Work();
  first->after.clear();
  first->is_done = true;
  first->done_at = std::chrono::steady_clock::now();
}

}  // namespace

CUstream_st* stream_of(cudaStream_t handle) {
  if (handle == nullptr) return default_stream(current_device());
  return streams().contains(handle) ? handle : nullptr;
}

cudaStream_t make_stream(bool is_blocking) {
  auto* const stream = new CUstream_st{.device = current_device(), .is_default = false, .is_blocking = is_blocking};
  streams().insert(stream);
  return stream;
}

void destroy_stream(CUstream_st* stream) {
  refuse_if_capturing(stream);
  finish(stream);
  streams().erase(stream);
  delete stream;
}

cudaError_t submit(CUstream_st* stream, Work work) {
  if (stream->capture != nullptr) {
    Capture& capture = *stream->capture;
    if (!capture.is_valid) return cudaErrorStreamCaptureInvalidated;
    Capture::Branch& branch = capture.branches[stream];
    capture.nodes.push_back({std::move(work), std::exchange(branch.after, {capture.nodes.size()})});
    ++branch.nodes;
    return cudaSuccess;
  }
  auto queued = std::make_shared<Queued>(Queued{.stream = stream, .work = std::move(work), .after = {}});
  for (CUstream_st* const other : streams()) {
    if (!waits_for(*stream, *other)) continue;
    if (other->capture != nullptr) return refuse_if_capturing(other, cudaErrorStreamCaptureImplicit);
    if (other->last != nullptr && !other->last->is_done) queued->after.push_back(other->last);
  }
  stream->queue.push_back(queued);
  stream->last = queued;
  if (queued->work.meet) {
    queued->work.meet(queued);
    tell_waiting_threads();
  }
  return cudaSuccess;
}

void run(const Work& work) {
  open_only(work.devices);
  if (work.run) work.run();
}

void finish(const std::shared_ptr<Queued>& queued) {
  while (!queued->is_done) {
    CUstream_st* const next = next_to_run(queued->stream);
    if (next != nullptr) {
      run_first(next);
    } else {
      wait_for_other_threads();
    }
  }
  open_only(0);
}

cudaError_t finish(CUstream_st* stream) {
  if (stream->is_default) {
    // Waiting for the default stream waits for all streams that it would wait for.
    if (const cudaError_t error = submit(stream, Work()); error != cudaSuccess) return error;
  }
  if (stream->last != nullptr) finish(std::shared_ptr<Queued>(stream->last));
  return cudaSuccess;
}

void finish_device(int device) {
  // Other threads may create and destroy streams while this one waits for them.
  std::vector<std::shared_ptr<Queued>> last;
  for (const CUstream_st* const stream : streams()) {
    if (stream->device == device && stream->last != nullptr) last.push_back(stream->last);
  }
  for (const std::shared_ptr<Queued>& queued : last) finish(queued);
}

void finish_possible() {
  for (CUstream_st* const stream : streams()) {
    while (!stream->queue.empty()) {
      CUstream_st* const next = next_to_run(stream);
      if (next == nullptr) break;
      run_first(next);
    }
  }
  open_only(0);
}

void advance(CUstream_st* stream) {
  if (!stream->queue.empty()) {
    if (CUstream_st* const next = next_to_run(stream); next != nullptr) run_first(next);
  }
  open_only(0);
}

void wait_for_other_threads() {
  open_only(0);
  other_threads().wait(mutex());
}

void tell_waiting_threads() { other_threads().notify_all(); }

// Captures.

namespace {

void spoil(Capture& capture) { capture.is_valid = false; }

}  // namespace

cudaStreamCaptureMode& capture_mode_of_thread() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

cudaError_t refuse_if_capturing(CUstream_st* stream, cudaError_t error) {
  if (stream->capture == nullptr) return cudaSuccess;
  spoil(*stream->capture);
  return error;
}

cudaError_t refuse_unsafe_call() {
  const cudaStreamCaptureMode mine = capture_mode_of_thread();
  if (mine == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  for (CUstream_st* const stream : streams()) {
    if (stream->capture == nullptr || stream->capture->mode == cudaStreamCaptureModeRelaxed) continue;
    const bool is_own = stream->capture->thread == std::this_thread::get_id();
    const bool is_global = mine == cudaStreamCaptureModeGlobal && stream->capture->mode == cudaStreamCaptureModeGlobal;
    if (is_own || is_global) error = refuse_if_capturing(stream);
  }
  return error;
}

cudaError_t refuse_if_device_captures(int device) {
  cudaError_t error = cudaSuccess;
  for (CUstream_st* const stream : streams()) {
    if (stream->device == device && stream->capture != nullptr) error = refuse_if_capturing(stream);
  }
  return error;
}

void begin_capture(CUstream_st* stream, cudaStreamCaptureMode mode) {
  stream->capture = std::make_shared<Capture>(
      Capture{.origin = stream, .mode = mode, .thread = std::this_thread::get_id(), .nodes = {}, .branches = {}});
  stream->capture->branches[stream];
}

cudaError_t end_capture(CUstream_st* stream, cudaGraph_t* graph) {
  const std::shared_ptr<Capture> capture = stream->capture;
  for (CUstream_st* const other : streams()) {
    if (other->capture == capture) other->capture = nullptr;
  }
  capture->has_ended = true;
  *graph = nullptr;
  if (!capture->is_valid) return cudaErrorStreamCaptureInvalidated;
  for (const auto& [other, branch] : capture->branches) {
    if (other != stream && (!branch.is_joined || branch.joined != branch.nodes)) return cudaErrorStreamCaptureUnjoined;
  }
  *graph = new CUgraph_st{std::move(capture->nodes)};
  return cudaSuccess;
}

std::int64_t longest_chain(const std::vector<GraphNode>& nodes) {
  std::vector<std::int64_t> chains;
  for (const GraphNode& node : nodes) {
    std::int64_t chain = 0;
    for (const std::size_t earlier : node.after) chain = std::max(chain, chains[earlier]);
    chains.push_back(chain + 1);
  }
  return chains.empty() ? 0 : *std::max_element(chains.begin(), chains.end());
}

std::vector<std::size_t> order_of_launch(const std::vector<GraphNode>& nodes, std::size_t launch) {
  std::vector<std::size_t> missing(nodes.size());
  std::vector<std::vector<std::size_t>> waiting(nodes.size());
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::set<std::size_t> after(nodes[i].after.begin(), nodes[i].after.end());
    missing[i] = after.size();
    for (const std::size_t earlier : after) waiting[earlier].push_back(i);
    if (after.empty()) ready.push_back(i);
  }
  std::mt19937 random(static_cast<unsigned>(launch));
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    // In every second launch the last recorded node goes first, as far as possible.
    const auto next = launch % 2 == 0 ? std::max_element(ready.begin(), ready.end())
                                      : ready.begin() + static_cast<std::ptrdiff_t>(random() % ready.size());
    const std::size_t node = *next;
    ready.erase(next);
    order.push_back(node);
    for (const std::size_t later : waiting[node]) {
      if (--missing[later] == 0) ready.push_back(later);
    }
  }
  return order;
}

}  // namespace rhyton::cuda_emulation
