#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

/// What tests say to the emulation and ask it, and what emulations of libraries are built on.
namespace rhyton::cuda_emulation {

/// Gives work to a stream, as a kernel is given to it: it runs when somebody waits for it, after what the stream was
/// given earlier, on whichever thread waits, with the memory of the stream's device open; a stream that captures
/// records it, and every launch of the graph runs it again. It has to hold by value what it needs, and may not call the
/// runtime. An emulation of a library calls it for each of its calls that take a stream.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

/// The device that a stream belongs to, and the device whose memory holds the address; -1 where there is none.
int device_of(cudaStream_t stream);
int device_of(const void* address);

/// How many devices there are (1 at first) and how many bytes each has (1 GiB). To be set while nothing is allocated.
void set_device_count(int count);
void set_memory_limit(std::size_t bytes);

/// Whether a device can be given access to the memory of another one, as over NVLink (true at first). Access that was
/// given stays.
void set_peer_access(bool is_possible);

/// Bytes of a device that are allocated.
std::size_t bytes_in_use(int device);

/// Makes a call of a function of the runtime, such as "cudaMalloc", fail: the next one, or that after `calls_before`
/// more. The call does nothing else.
void fail_next(std::string_view function, cudaError_t error, int calls_before = 0);

/// What has happened since the start of the program.
struct Counters {
  /// Kernels given to streams, those recorded included, and kernels that ran, those of graphs included.
  std::int64_t kernels_launched = 0;
  std::int64_t kernels_run = 0;
  std::int64_t graphs_launched = 0;
  /// Of the graph launched last: the most nodes of which each waits for the one before.
  std::int64_t longest_chain = 0;
  /// Calls that allocated memory of a device, and calls that waited for work.
  std::int64_t allocations = 0;
  std::int64_t synchronizations = 0;
};
Counters counters();

}  // namespace rhyton::cuda_emulation
