#include <rhyton/framework/backends/gpu/runtime/stream.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include <rhyton/framework/backends/gpu/collectives/peer_reduction.h>
#include <rhyton/framework/backends/gpu/runtime/check.h>
#include <rhyton/framework/device/device_log.h>
#include <rhyton/framework/environment.h>

namespace rhyton::gpu {
namespace {

class CudaGraph final : public RecordedWork {
 public:
  CudaGraph(GpuStream& stream, cudaGraph_t graph) : stream_(stream) {
    const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "cudaGraphInstantiate");
    check(cudaGraphUpload(executable_, stream.handle()), "cudaGraphUpload");
  }
  ~CudaGraph() override { cudaGraphExecDestroy(executable_); }

  void replay() override {
    stream_.make_current();
    check(cudaGraphLaunch(executable_, stream_.handle()), "cudaGraphLaunch");
  }

 private:
  GpuStream& stream_;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace

GpuStream::GpuStream(int ordinal) : ordinal_(ordinal), waits_after_launch_(is_switched_on("RHYTON_CUDA_SYNC")) {
  make_current();
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  current_ = stream_;
  check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  void* shared = nullptr;
  check(cudaHostAlloc(&shared, sizeof(Report), cudaHostAllocMapped | cudaHostAllocPortable), "cudaHostAlloc");
  report_ = new (shared) Report();
  constexpr std::size_t bytes = RecordingBranches::maximum * counters_per_branch * sizeof(unsigned);
  void* zeros = nullptr;
  check(cudaMalloc(&zeros, bytes), "cudaMalloc");
  counters_ = static_cast<unsigned*>(zeros);
  check(cudaMemsetAsync(counters_, 0, bytes, stream_), "cudaMemsetAsync");
}

GpuStream::~GpuStream() {
  cudaSetDevice(ordinal_);
  for (const cudnnHandle_t handle : dnn_) {
    if (handle != nullptr) cudnnDestroy(handle);
  }
  if (blas_ != nullptr) cublasLtDestroy(blas_);
  if (counters_ != nullptr) cudaFree(counters_);
  if (report_ != nullptr) cudaFreeHost(report_);
  if (event_ != nullptr) cudaEventDestroy(event_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

void GpuStream::make_current() const { check(cudaSetDevice(ordinal_), "cudaSetDevice"); }

void GpuStream::copy_from_host(void* device_target, const void* host_source, std::size_t bytes) {
  if (bytes == 0) return;
  const std::scoped_lock lock(mutex());
  make_current();
  if (Staging::is_worthwhile(bytes)) return staging_.copy(device_target, host_source, bytes, stream_);
  // For memory that is not pinned the call returns when the bytes have been read.
  check(cudaMemcpyAsync(device_target, host_source, bytes, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
}

void GpuStream::copy_to_host(void* host_target, const void* device_source, std::size_t bytes) {
  const std::scoped_lock lock(mutex());
  make_current();
  if (bytes != 0) {
    check(cudaMemcpyAsync(host_target, device_source, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
  }
  synchronize();
}

void GpuStream::copy(void* device_target, const void* device_source, std::size_t bytes) {
  if (bytes == 0) return;
  const std::scoped_lock lock(mutex());
  make_current();
  check(cudaMemcpyAsync(device_target, device_source, bytes, cudaMemcpyDeviceToDevice, current_), "cudaMemcpyAsync");
}

void GpuStream::wait_for(Stream& stream) {
  if (&stream == this) return;
  auto& other = static_cast<GpuStream&>(stream);
  const std::scoped_lock lock(mutex(), other.mutex());
  other.make_current();
  check(cudaEventRecord(other.event_, other.stream_), "cudaEventRecord");
  make_current();
  check(cudaStreamWaitEvent(stream_, other.event_, 0), "cudaStreamWaitEvent");
}

bool GpuStream::reaches(Stream& other) { return gpu::reaches(*this, static_cast<GpuStream&>(other)); }

void GpuStream::sum_in_order(std::span<const void* const> inputs, std::span<void* const> outputs, std::int64_t elements,
                             DType dtype) {
  gpu::sum_in_order(inputs, outputs, elements, dtype, *this);
}

void GpuStream::copy_from_peer(void* device_target, Stream& source_stream, const void* source, std::size_t bytes) {
  if (bytes == 0) return;
  auto& other = static_cast<GpuStream&>(source_stream);
  const std::scoped_lock lock(mutex(), other.mutex());
  wait_for(other);
  check(cudaMemcpyPeerAsync(device_target, ordinal_, source, other.ordinal_, bytes, stream_), "cudaMemcpyPeerAsync");
  // Later work of the other stream may overwrite or release the source.
  other.wait_for(*this);
}

void GpuStream::fill(void* device_target, unsigned char value, std::size_t bytes) {
  if (bytes == 0) return;
  const std::scoped_lock lock(mutex());
  make_current();
  check(cudaMemsetAsync(device_target, value, bytes, current_), "cudaMemsetAsync");
}

void GpuStream::synchronize() {
  const std::scoped_lock lock(mutex());
  make_current();
  check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  throw_findings();
}

#if __has_include(<nvtx3/nvToolsExt.h>)
void GpuStream::begin_range(std::string_view name) { nvtxRangePushA(std::string(name).c_str()); }
void GpuStream::end_range() { nvtxRangePop(); }
#else
void GpuStream::begin_range(std::string_view) {}
void GpuStream::end_range() {}
#endif

void GpuStream::begin_recording() {
  make_current();
  branches_.prepare();
  prepare_dnn();
  // Calls of other threads, such as those that prepare batches, are independent of this recording.
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  branches_.begin(stream_);
}

void GpuStream::continue_branch(std::size_t branch, std::span<const std::size_t> marks) {
  current_ = branches_.go_on(branch, marks);
  branch_ = branch;
}

void GpuStream::set_mark(std::size_t mark) { branches_.set_mark(mark, current_); }

std::unique_ptr<RecordedWork> GpuStream::end_recording() {
  current_ = stream_;
  branch_ = 0;
  const cudaError_t joined = branches_.end();
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
  auto recorded = std::make_unique<CudaGraph>(*this, graph);
  check(joined, "cudaStreamWaitEvent");
  return recorded;
}

cublasLtHandle_t GpuStream::blas() {
  make_current();
  if (blas_ == nullptr) check(cublasLtCreate(&blas_), "cublasLtCreate");
  return blas_;
}

cudnnHandle_t GpuStream::dnn() {
  make_current();
  if (dnn_[branch_] == nullptr) dnn_[branch_] = make_dnn(current_);
  return dnn_[branch_];
}

cudnnHandle_t GpuStream::make_dnn(cudaStream_t stream) {
  cudnnHandle_t handle = nullptr;
  check(cudnnCreate(&handle), "cudnnCreate");
  const cudnnStatus_t status = cudnnSetStream(handle, stream);
  if (status != CUDNN_STATUS_SUCCESS) cudnnDestroy(handle);
  check(status, "cudnnSetStream");
  return handle;
}

void GpuStream::prepare_dnn() {
  if (dnn_.front() == nullptr || dnn_.back() != nullptr) return;
  constexpr float zero = 0;
  void* memory = nullptr;
  check(cudaMalloc(&memory, sizeof zero), "cudaMalloc");
  const std::unique_ptr<void, decltype(&cudaFree)> number(memory, &cudaFree);
  cudnnTensorDescriptor_t descriptor = nullptr;
  cudnnStatus_t status = cudnnCreateTensorDescriptor(&descriptor);
  const std::unique_ptr<std::remove_pointer_t<cudnnTensorDescriptor_t>, decltype(&cudnnDestroyTensorDescriptor)>
      destroyed(descriptor, &cudnnDestroyTensorDescriptor);
  if (status == CUDNN_STATUS_SUCCESS) {
    status = cudnnSetTensor4dDescriptor(descriptor, CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, 1, 1, 1, 1);
  }
  for (std::size_t branch = 1; branch < dnn_.size(); ++branch) {
    const cudaStream_t stream = branches_.stream(branch);
    if (dnn_[branch] == nullptr) dnn_[branch] = make_dnn(stream);
    if (status == CUDNN_STATUS_SUCCESS) status = cudnnSetTensor(dnn_[branch], descriptor, number.get(), &zero);
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  if (status != CUDNN_STATUS_SUCCESS) {
    log_device_event(
        "The handles of cuDNN for branches have submitted nothing before the recording: " + describe(status) + ".");
  }
}

void GpuStream::after_launch(const char* what) {
  check(cudaGetLastError(), what);
  if (waits_after_launch_) check(cudaStreamSynchronize(stream_), what);
}

void GpuStream::throw_findings() {
  if (report_->finding == 0) return;
  const Report found = *report_;
  *report_ = Report();
  throw_finding(found);
}

}  // namespace rhyton::gpu
