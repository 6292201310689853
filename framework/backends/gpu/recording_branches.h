#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace rhyton::gpu {

/// The branches of a stream's recording: the stream itself, and further ones that take part in its capture from when
/// they are first used. They belong to the GPU that was the current one when they were made.
class RecordingBranches {
 public:
  /// Steps of small models gain by a few; a GPU has room for no more of larger ones.
  static constexpr std::size_t most = 4;

  RecordingBranches() = default;
  ~RecordingBranches();
  RecordingBranches(const RecordingBranches&) = delete;
  RecordingBranches& operator=(const RecordingBranches&) = delete;

  /// Makes what a recording needs. Not to be called during one.
  void prepare();
  /// After the beginning of the capture of `origin`, which is branch 0.
  void begin(cudaStream_t origin);
  /// The stream of a branch, behind its earlier work and the marks.
  cudaStream_t go_on(std::size_t branch, std::span<const std::size_t> marks);
  /// Sets a mark behind what the stream has been given so far.
  void set_mark(std::size_t mark, cudaStream_t stream);
  /// Before the end of the capture: lets its origin wait for all branches. What went wrong shows in the capture's own
  /// end, too, if it had been spoiled before.
  cudaError_t end();

 private:
  struct Branch {
    cudaStream_t stream = nullptr;
    bool is_used = false;
  };
  static cudaEvent_t make_event();

  cudaStream_t origin_ = nullptr;
  std::array<Branch, most - 1> others_;
  /// Stands before all work of the recording, and later behind that of a branch.
  cudaEvent_t fork_ = nullptr;
  std::vector<cudaEvent_t> marks_;
};

}  // namespace rhyton::gpu
