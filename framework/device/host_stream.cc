#include <cstring>
#include <vector>

#include <rhyton/framework/device/stream.h>
#include <rhyton/framework/error.h>

namespace rhyton {

void Stream::copy_from_peer(void* device_target, Stream& source_stream, const void* source, std::size_t bytes) {
  std::vector<std::byte> on_host(bytes);
  source_stream.copy_to_host(on_host.data(), source, bytes);
  copy_from_host(device_target, on_host.data(), bytes);
}

void Stream::wait_for(Stream& other) { other.synchronize(); }

void Stream::sum_in_order(std::span<const void* const>, std::span<void* const>, std::int64_t, DType) {
  throw NotImplementedError("This device's stream does not sum over the memory of several devices.");
}

namespace {

[[noreturn]] void refuse_recording() { throw RuntimeError("This device's stream cannot record work."); }

}  // namespace

void Stream::begin_recording() { refuse_recording(); }
void Stream::continue_branch(std::size_t, std::span<const std::size_t>) { refuse_recording(); }
void Stream::set_mark(std::size_t) { refuse_recording(); }
std::unique_ptr<RecordedWork> Stream::end_recording() { refuse_recording(); }

void HostStream::copy_from_host(void* device_target, const void* host_source, std::size_t bytes) {
  copy(device_target, host_source, bytes);
}

void HostStream::copy_to_host(void* host_target, const void* device_source, std::size_t bytes) {
  copy(host_target, device_source, bytes);
}

void HostStream::copy(void* device_target, const void* device_source, std::size_t bytes) {
  if (bytes != 0) std::memcpy(device_target, device_source, bytes);
}

void HostStream::fill(void* device_target, unsigned char value, std::size_t bytes) {
  if (bytes != 0) std::memset(device_target, value, bytes);
}

}  // namespace rhyton
