#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <emulator.h>

/// Fixtures for the tests of the emulation.
namespace rhyton::cuda_emulation {

inline void expect_success(cudaError_t error) { EXPECT_STREQ(cudaGetErrorName(error), "cudaSuccess"); }

/// Memory of the current device.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) : count_(count) { expect_success(cudaMalloc(&data_, count * sizeof(T))); }
  explicit OnDevice(const std::vector<T>& values) : OnDevice(values.size()) {
    expect_success(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* data() const { return data_; }

  /// The current values, without waiting for any stream that does not wait for the default stream.
  std::vector<T> now() const {
    std::vector<T> values(count_);
    expect_success(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// Pinned host memory, whose copies are asynchronous.
class Pinned {
 public:
  explicit Pinned(int value) {
    expect_success(cudaHostAlloc(&data_, sizeof(int), cudaHostAllocDefault));
    *data_ = value;
  }
  ~Pinned() { cudaFreeHost(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  int* data() const { return data_; }

 private:
  int* data_ = nullptr;
};

/// A stream that does not wait for the default stream.
class OwnStream {
 public:
  OwnStream() { expect_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class OwnEvent {
 public:
  OwnEvent() { expect_success(cudaEventCreate(&event_)); }
  ~OwnEvent() { cudaEventDestroy(event_); }
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;

  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Submits a kernel to a stream.
template <class... Parameters, class... Arguments>
cudaError_t start(cudaStream_t stream, dim3 grid, dim3 block, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = grid;
  configuration.blockDim = block;
  configuration.stream = stream;
  return cudaLaunchKernelEx(&configuration, kernel, Parameters(arguments)...);
}

/// Runs a kernel and waits for it.
template <class... Parameters, class... Arguments>
void run(dim3 grid, dim3 block, void (*kernel)(Parameters...), Arguments... arguments) {
  expect_success(start(nullptr, grid, block, kernel, arguments...));
  expect_success(cudaDeviceSynchronize());
}

/// A kernel whose effect shows how often it ran.
__global__ inline void add(int* target, int amount) { *target += amount; }

}  // namespace rhyton::cuda_emulation
