#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

namespace rhyton {

enum class DType : std::uint8_t;

/// Work that was recorded from a stream once and is submitted to it again as a whole, with the same addresses and
/// arguments: a CUDA graph.
class RecordedWork {
 public:
  virtual ~RecordedWork() = default;
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;

  /// Submits all of it to the stream that it was recorded from.
  virtual void replay() = 0;

 protected:
  RecordedWork() = default;
};

/// The work queue of one logical device. Work runs in the order of submission, possibly after the call has returned;
/// `synchronize` waits for it. On the CPU every call is complete when it returns.
class Stream {
 public:
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Copies host memory to this device's. The host's bytes may be overwritten when the call returns.
  virtual void copy_from_host(void* device_target, const void* host_source, std::size_t bytes) = 0;
  /// Copies this device's memory to the host's, after all earlier work; complete when the call returns.
  virtual void copy_to_host(void* host_target, const void* device_source, std::size_t bytes) = 0;
  /// Copies between two blocks of this device that do not overlap.
  virtual void copy(void* device_target, const void* device_source, std::size_t bytes) = 0;
  /// Copies from the memory of another device, after all earlier work of its stream. The data pass through the host,
  /// unless the devices have a direct path.
  virtual void copy_from_peer(void* device_target, Stream& source_stream, const void* source, std::size_t bytes);
  /// Makes later work of this stream wait for all work that was submitted to the other one, of the same type of device,
  /// so far. Two recordings cannot wait for each other.
  virtual void wait_for(Stream& other);
  /// Whether `sum_in_order` can read and write the memory of the other stream's device. Not to be called while this
  /// stream records.
  virtual bool reaches(Stream& /*other*/) { return false; }
  /// Sets each of `outputs` to the sum of `inputs`, added in their order, so that the bits are the same every time: 1
  /// to 16 of each, with `elements` elements of one dtype, on devices that this stream reaches. An output may be one of
  /// the inputs, but overlaps with no other one. Half types are added in float32 and rounded once. It is ordered with
  /// the work of the memory's own streams by `wait_for`, before and after. Throws NotImplementedError where the stream
  /// reaches none.
  virtual void sum_in_order(std::span<const void* const> inputs, std::span<void* const> outputs, std::int64_t elements,
                            DType dtype);
  /// Sets every byte to `value`.
  virtual void fill(void* device_target, unsigned char value, std::size_t bytes) = 0;
  /// Waits until all work given so far is done. Throws RuntimeError when some of it failed.
  virtual void synchronize() = 0;

  /// Whether the following functions may be called.
  virtual bool can_record() const { return false; }
  /// Records work from here on instead of executing it, until `end_recording`. Throws RuntimeError where that is
  /// impossible.
  virtual void begin_recording();
  /// The maximum number of branches, whose work runs concurrently, of a recording.
  virtual std::size_t max_branches() const { return 1; }
  /// While recording: the following work belongs to `branch`, from 0, and waits for that branch's earlier work and for
  /// these marks. A recording begins with branch 0, and ends when all its branches have.
  virtual void continue_branch(std::size_t branch, std::span<const std::size_t> marks);
  /// While recording: sets the mark of that number after the branch's work so far.
  virtual void set_mark(std::size_t mark);
  /// Ends recording and returns the work. Throws RuntimeError when an operation was requested meanwhile that cannot be
  /// recorded, such as waiting for results; the stream then works as before.
  virtual std::unique_ptr<RecordedWork> end_recording();

  /// Names the work that is submitted until the end of the range, for tools that show the activity of a device over
  /// time.
  virtual void begin_range(std::string_view /*name*/) {}
  virtual void end_range() {}

  /// Held by a thread that submits several pieces of work that must not be mixed with those of another thread.
  std::recursive_mutex& mutex() { return mutex_; }

 protected:
  Stream() = default;

 private:
  std::recursive_mutex mutex_;
};

/// Names the work that is submitted to a stream during its lifetime.
class StreamRange {
 public:
  StreamRange(Stream& stream, std::string_view name) : stream_(stream) { stream_.begin_range(name); }
  ~StreamRange() { stream_.end_range(); }
  StreamRange(const StreamRange&) = delete;
  StreamRange& operator=(const StreamRange&) = delete;

 private:
  Stream& stream_;
};

/// The stream of a CPU device: everything is executed at once, on the calling thread.
class HostStream final : public Stream {
 public:
  void copy_from_host(void* device_target, const void* host_source, std::size_t bytes) override;
  void copy_to_host(void* host_target, const void* device_source, std::size_t bytes) override;
  void copy(void* device_target, const void* device_source, std::size_t bytes) override;
  void fill(void* device_target, unsigned char value, std::size_t bytes) override;
  void synchronize() override {}
};

}  // namespace rhyton
