#pragma once

#include <cublasLt.h>
#include <cuda_runtime.h>
#include <cudnn.h>

#include <array>
#include <memory>

#include <rhyton/framework/backends/gpu/runtime/recording_branches.h>
#include <rhyton/framework/backends/gpu/runtime/report.h>
#include <rhyton/framework/backends/gpu/runtime/staging.h>
#include <rhyton/framework/device/stream.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

/// The queue of one logical GPU: a CUDA stream, and the libraries' data for it. Its `mutex` must be held from setting
/// the current device to the last call that depends on it.
class GpuStream final : public Stream {
 public:
  /// On the GPU with CUDA's index `ordinal`.
  explicit GpuStream(int ordinal);
  ~GpuStream() override;

  void copy_from_host(void* device_target, const void* host_source, std::size_t bytes) override;
  /// Throws InvalidArgumentError if a kernel has found invalid values since the last call.
  void copy_to_host(void* host_target, const void* device_source, std::size_t bytes) override;
  void copy(void* device_target, const void* device_source, std::size_t bytes) override;
  void copy_from_peer(void* device_target, Stream& source_stream, const void* source, std::size_t bytes) override;
  void wait_for(Stream& other) override;
  bool reaches(Stream& other) override;
  void sum_in_order(std::span<const void* const> inputs, std::span<void* const> outputs, std::int64_t elements,
                    DType dtype) override;
  void fill(void* device_target, unsigned char value, std::size_t bytes) override;
  void synchronize() override;
  /// Ranges of NVTX, which Nsight Systems shows.
  void begin_range(std::string_view name) override;
  void end_range() override;
  bool can_record() const override { return true; }
  void begin_recording() override;
  std::size_t max_branches() const override { return RecordingBranches::maximum; }
  void continue_branch(std::size_t branch, std::span<const std::size_t> marks) override;
  void set_mark(std::size_t mark) override;
  std::unique_ptr<RecordedWork> end_recording() override;

  int ordinal() const { return ordinal_; }
  /// The target of new work: the stream itself, or a branch of its recording.
  cudaStream_t handle() const { return current_; }
  /// Makes this stream's GPU the current device of this thread.
  void make_current() const;

  /// The libraries' handles for this stream, created at first use. The calls also make its GPU the current device. Each
  /// branch has a handle of cuDNN of its own, since a handle may have data for the kernels that it has submitted; those
  /// of the other branches are created before a recording if cuDNN is in use by then.
  cublasLtHandle_t blas();
  cudnnHandle_t dnn();

  /// Receives kernels' findings about invalid values.
  Report* report() const { return report_; }

  /// Zeros in the GPU's memory, of the current branch. A kernel may use them as counters if it resets them to zero.
  unsigned* counters() const { return counters_ + branch_ * counters_per_branch; }
  static constexpr std::size_t counters_per_branch = 512;

  /// To be called after each kernel: throws when it could not be launched, and with `RHYTON_CUDA_SYNC=1` in the
  /// environment waits for its end and throws when it has failed.
  void after_launch(const char* what);

 private:
  void throw_findings();
  cudnnHandle_t make_dnn(cudaStream_t stream);
  /// Creates the handles of cuDNN that branches lack, and has each submit a first kernel, as neither the memory of a
  /// handle nor the code of a kernel that is loaded at its first use may be requested during a capture.
  void prepare_dnn();
  int ordinal_;
  cudaStream_t stream_ = nullptr;
  cudaStream_t current_ = nullptr;
  std::size_t branch_ = 0;
  RecordingBranches branches_;
  Staging staging_;
  // Recorded for other streams to wait for.
  cudaEvent_t event_ = nullptr;
  cublasLtHandle_t blas_ = nullptr;
  /// For each branch.
  std::array<cudnnHandle_t, RecordingBranches::maximum> dnn_ = {};
  Report* report_ = nullptr;
  unsigned* counters_ = nullptr;
  bool waits_after_launch_ = false;
};

/// The stream of a kernel's work.
inline GpuStream& stream_of(const KernelArguments& arguments) { return static_cast<GpuStream&>(*arguments.stream); }

}  // namespace rhyton::gpu
