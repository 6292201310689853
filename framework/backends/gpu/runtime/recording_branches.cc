#include <rhyton/framework/backends/gpu/runtime/recording_branches.h>

#include <rhyton/framework/backends/gpu/runtime/check.h>

namespace rhyton::gpu {

RecordingBranches::~RecordingBranches() {
  for (const cudaEvent_t mark : marks_) {
    if (mark != nullptr) cudaEventDestroy(mark);
  }
  if (fork_ != nullptr) cudaEventDestroy(fork_);
  for (const Branch& branch : others_) {
    if (branch.stream != nullptr) cudaStreamDestroy(branch.stream);
  }
}

cudaEvent_t RecordingBranches::make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return event;
}

void RecordingBranches::prepare() {
  if (fork_ == nullptr) fork_ = make_event();
  for (Branch& branch : others_) {
    if (branch.stream != nullptr) continue;
    check(cudaStreamCreateWithFlags(&branch.stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
}

void RecordingBranches::begin(cudaStream_t origin) {
  origin_ = origin;
  for (Branch& branch : others_) branch.is_used = false;
  check(cudaEventRecord(fork_, origin_), "cudaEventRecord");
}

cudaStream_t RecordingBranches::go_on(std::size_t branch, std::span<const std::size_t> marks) {
  cudaStream_t stream = origin_;
  if (branch > 0) {
    Branch& other = others_.at(branch - 1);
    stream = other.stream;
    // Its first wait makes a stream part of the capture.
    if (!other.is_used) check(cudaStreamWaitEvent(stream, fork_, 0), "cudaStreamWaitEvent");
    other.is_used = true;
  }
  for (const std::size_t mark : marks) {
    check(cudaStreamWaitEvent(stream, marks_.at(mark), 0), "cudaStreamWaitEvent");
  }
  return stream;
}

void RecordingBranches::set_mark(std::size_t mark, cudaStream_t stream) {
  if (marks_.size() <= mark) marks_.resize(mark + 1, nullptr);
  if (marks_[mark] == nullptr) marks_[mark] = make_event();
  check(cudaEventRecord(marks_[mark], stream), "cudaEventRecord");
}

cudaError_t RecordingBranches::end() {
  cudaError_t first_error = cudaSuccess;
  const auto note = [&](cudaError_t error) {
    if (first_error == cudaSuccess) first_error = error;
  };
  for (Branch& branch : others_) {
    if (!branch.is_used) continue;
    branch.is_used = false;
    note(cudaEventRecord(fork_, branch.stream));
    note(cudaStreamWaitEvent(origin_, fork_, 0));
  }
  if (first_error != cudaSuccess) cudaGetLastError();  // or the next kernel would seem to have failed
  return first_error;
}

}  // namespace rhyton::gpu
