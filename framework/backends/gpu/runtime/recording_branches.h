#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace rhyton::gpu {

/// The branches of a stream's recording: the stream itself, and further streams that join its capture when they are
/// first used. They belong to the GPU that was current when they were created.
class RecordingBranches {
 public:
  /// Steps of small models are faster with a few; larger ones leave a GPU no capacity for more.
  static constexpr std::size_t maximum = 4;

  RecordingBranches() = default;
  ~RecordingBranches();
  RecordingBranches(const RecordingBranches&) = delete;
  RecordingBranches& operator=(const RecordingBranches&) = delete;

  /// Creates the streams and events of a recording. Not to be called during one.
  void prepare();
  /// The stream of a branch other than 0, after `prepare`.
  cudaStream_t stream(std::size_t branch) const { return others_.at(branch - 1).stream; }
  /// To be called after the beginning of the capture of `origin`, which is branch 0.
  void begin(cudaStream_t origin);
  /// The stream of a branch, after its earlier work and the marks.
  cudaStream_t go_on(std::size_t branch, std::span<const std::size_t> marks);
  /// Sets a mark after the stream's work so far.
  void set_mark(std::size_t mark, cudaStream_t stream);
  /// To be called before the end of the capture: makes its origin wait for all branches. If the capture was invalid
  /// before, its own end reports that, too.
  cudaError_t end();

 private:
  struct Branch {
    cudaStream_t stream = nullptr;
    bool is_used = false;
  };
  static cudaEvent_t make_event();

  cudaStream_t origin_ = nullptr;
  std::array<Branch, maximum - 1> others_;
  /// Recorded before all work of the recording, and later after that of a branch.
  cudaEvent_t fork_ = nullptr;
  std::vector<cudaEvent_t> marks_;
};

}  // namespace rhyton::gpu
