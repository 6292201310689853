#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

/// Functions with which tests control and query the emulation, and on which emulations of libraries are built.
namespace rhyton::cuda_emulation {

/// Submits work to a stream, as a kernel is launched: it runs when a thread waits for it, after earlier work of the
/// stream, on the waiting thread, with the memory of the stream's device open; a stream that captures records it, and
/// every launch of the graph runs it again. It must hold its data by value, and must not call the runtime. An emulation
/// of a library calls it for each of its calls that take a stream.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

/// The device that a stream belongs to, and the device whose memory contains the address; -1 if there is none.
int device_of(cudaStream_t stream);
int device_of(const void* address);

/// The number of devices (initially 1) and the bytes of each (1 GiB). Must be set while nothing is allocated.
void set_device_count(int count);
void set_memory_limit(std::size_t bytes);

/// Whether a device can be given access to the memory of another one, as over NVLink (initially true). Granted access
/// remains.
void set_peer_access(bool is_possible);

/// The allocated bytes of a device.
std::size_t bytes_in_use(int device);

/// Makes a call of a function of the runtime, such as "cudaMalloc", fail: the next one, or the one after `calls_before`
/// more. The call does nothing else.
void fail_next(std::string_view function, cudaError_t error, int calls_before = 0);

/// Counters since the start of the program.
struct Counters {
  /// Kernels submitted to streams, including recorded ones, and kernels that ran, including those of graphs.
  std::int64_t kernels_launched = 0;
  std::int64_t kernels_run = 0;
  std::int64_t graphs_launched = 0;
  /// For the graph launched last: the maximum length of a chain of nodes that wait for each other.
  std::int64_t longest_chain = 0;
  /// Calls that allocated memory of a device, and calls that waited for work.
  std::int64_t allocations = 0;
  std::int64_t synchronizations = 0;
};
Counters counters();

}  // namespace rhyton::cuda_emulation
