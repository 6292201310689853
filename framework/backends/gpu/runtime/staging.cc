#include <rhyton/framework/backends/gpu/runtime/staging.h>

#include <cstring>

#include <rhyton/framework/backends/gpu/runtime/check.h>

namespace rhyton::gpu {

Staging::~Staging() {
  for (const Buffer& buffer : buffers_) {
    if (buffer.done != nullptr) {
      cudaEventSynchronize(buffer.done);
      cudaEventDestroy(buffer.done);
    }
    if (buffer.memory != nullptr) cudaFreeHost(buffer.memory);
  }
}

void Staging::copy(void* device_target, const void* host_source, std::size_t bytes, cudaStream_t stream) {
  Buffer& buffer = buffers_[next_];
  next_ = (next_ + 1) % buffers_.size();
  if (buffer.done == nullptr) {
    check(cudaEventCreateWithFlags(&buffer.done, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  check(cudaEventSynchronize(buffer.done), "cudaEventSynchronize");
  if (buffer.bytes < bytes) {
    if (buffer.memory != nullptr) check(cudaFreeHost(buffer.memory), "cudaFreeHost");
    buffer = {.memory = nullptr, .bytes = 0, .done = buffer.done};
    check(cudaMallocHost(&buffer.memory, bytes), "cudaMallocHost");
    buffer.bytes = bytes;
  }
  std::memcpy(buffer.memory, host_source, bytes);
  check(cudaMemcpyAsync(device_target, buffer.memory, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  check(cudaEventRecord(buffer.done, stream), "cudaEventRecord");
}

}  // namespace rhyton::gpu
