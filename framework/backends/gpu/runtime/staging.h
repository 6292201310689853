#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>

namespace rhyton::gpu {

/// Two pieces of pinned memory that copies from the host alternate between: the host prepares the next batch during the
/// transfer of the last one to the GPU.
class Staging {
 public:
  Staging() = default;
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Whether a copy of that size gets faster: smaller ones are part of the command itself, larger ones would take too
  /// much pinned memory.
  static bool is_worthwhile(std::size_t bytes) { return bytes > smallest && bytes <= largest; }

  /// Submits the copy to the stream; the host's bytes may be overwritten when the call returns.
  void copy(void* device_target, const void* host_source, std::size_t bytes, cudaStream_t stream);

 private:
  static constexpr std::size_t smallest = std::size_t{64} << 10;
  static constexpr std::size_t largest = std::size_t{64} << 20;

  struct Buffer {
    void* memory = nullptr;
    std::size_t bytes = 0;
    // Recorded after the last copy from it.
    cudaEvent_t done = nullptr;
  };
  std::array<Buffer, 2> buffers_;
  std::size_t next_ = 0;
};

}  // namespace rhyton::gpu
