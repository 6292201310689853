#pragma once

#include <cstddef>

namespace rhyton {

/// The queue of work of one logical device. Work runs in the order it was given, possibly after the call returned;
/// `synchronize` waits for it. On the CPU every call is done when it returns.
class Stream {
 public:
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Host memory to this device's. The host's bytes may change again when the call returns.
  virtual void copy_from_host(void* device_target, const void* host_source, std::size_t bytes) = 0;
  /// This device's memory to the host's, after all earlier work; done when the call returns.
  virtual void copy_to_host(void* host_target, const void* device_source, std::size_t bytes) = 0;
  /// Between two blocks, that do not overlap, of this device.
  virtual void copy(void* device_target, const void* device_source, std::size_t bytes) = 0;
  /// Sets every byte to `value`.
  virtual void fill(void* device_target, unsigned char value, std::size_t bytes) = 0;
  /// Waits until all work given so far is done. Throws RuntimeError when some of it failed.
  virtual void synchronize() = 0;

 protected:
  Stream() = default;
};

/// The stream of a CPU device: everything happens at once, on the calling thread.
class HostStream final : public Stream {
 public:
  void copy_from_host(void* device_target, const void* host_source, std::size_t bytes) override;
  void copy_to_host(void* host_target, const void* device_source, std::size_t bytes) override;
  void copy(void* device_target, const void* device_source, std::size_t bytes) override;
  void fill(void* device_target, unsigned char value, std::size_t bytes) override;
  void synchronize() override {}
};

}  // namespace rhyton
