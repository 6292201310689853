#include <cudnn.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <mutex>
#include <string>
#include <thread>

#include <calls.h>
#include <cudnn_convolution.h>
#include <emulator.h>
#include <streams.h>

namespace {

using rhyton::cuda_emulation::CudnnCall;
using rhyton::cuda_emulation::CudnnRefusal;

std::mutex state_mutex;
CudnnRefusal refusal = CudnnRefusal::nothing;
cudnnStatus_t refusal_status = CUDNN_STATUS_NOT_SUPPORTED;
cudaError_t refusal_error = cudaSuccess;
CudnnCall last_call;
int queries = 0;
int moved_handles = 0;
thread_local std::string last_error;

template <class Struct>
cudnnStatus_t create(Struct** result) {
  if (result == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *result = new Struct();
  return CUDNN_STATUS_SUCCESS;
}

bool are_positive(std::initializer_list<int> values) {
  return std::all_of(values.begin(), values.end(), [](int value) { return value > 0; });
}

}  // namespace

namespace rhyton::cuda_emulation {

cudnnStatus_t answer_to(CudnnRefusal what) {
  std::unique_lock lock(state_mutex);
  if (refusal != what) return CUDNN_STATUS_SUCCESS;
  last_error = "a test wants\na refusal.\n";
  remember(refusal_error);
  const cudnnStatus_t status = refusal_status;
  lock.unlock();
  // Widens the window for other threads, so that concurrent calls are refused at the same time.
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return status;
}

void note_query() {
  const std::scoped_lock lock(state_mutex);
  ++queries;
}

void note_call(int algorithm, cudnnMathType_t math, bool fused, bool relu) {
  const std::scoped_lock lock(state_mutex);
  last_call = {algorithm, math, fused, relu, last_call.count + 1};
}

void set_cudnn_refusal(CudnnRefusal what, cudnnStatus_t status, cudaError_t error) {
  const std::scoped_lock lock(state_mutex);
  refusal = what;
  refusal_status = status;
  refusal_error = error;
}

CudnnCall last_cudnn_call() {
  const std::scoped_lock lock(state_mutex);
  return last_call;
}

int moved_cudnn_handles() {
  const std::scoped_lock lock(state_mutex);
  return moved_handles;
}

int cudnn_queries() {
  const std::scoped_lock lock(state_mutex);
  return queries;
}

}  // namespace rhyton::cuda_emulation

size_t cudnnGetVersion() { return CUDNN_VERSION; }

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_BAD_PARAM_NULL_POINTER:
      return "CUDNN_STATUS_BAD_PARAM_NULL_POINTER";
    case CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER:
      return "CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER";
    case CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT:
      return "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT";
    case CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH:
      return "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_NOT_SUPPORTED_SHAPE:
      return "CUDNN_STATUS_NOT_SUPPORTED_SHAPE";
    case CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE:
      return "CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE";
    case CUDNN_STATUS_NOT_SUPPORTED_LAYOUT:
      return "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT";
    case CUDNN_STATUS_INTERNAL_ERROR:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    default:
      return "CUDNN_STATUS_EXECUTION_FAILED";
  }
}

void cudnnGetLastErrorString(char* message, size_t max_size) {
  if (message == nullptr || max_size == 0) return;
  message[last_error.copy(message, max_size - 1)] = '\0';
  last_error.clear();
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  {
    // It allocates memory.
    const std::scoped_lock lock(rhyton::cuda_emulation::mutex());
    if (rhyton::cuda_emulation::refuse_unsafe_call() != cudaSuccess) return CUDNN_STATUS_INTERNAL_ERROR;
  }
  return create(handle);
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  const std::scoped_lock lock(state_mutex);
  if (handle->stream != nullptr && handle->stream != stream) ++moved_handles;
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  if (handle == nullptr || stream == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *stream = handle->stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* descriptor) { return create(descriptor); }

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t descriptor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  if (descriptor == nullptr || !are_positive({n, c, h, w})) return CUDNN_STATUS_BAD_PARAM;
  if (format == CUDNN_TENSOR_NCHW_VECT_C) return CUDNN_STATUS_NOT_SUPPORTED;
  *descriptor = {true, format, type, {n, c, h, w}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t descriptor, void* data,
                             const void* value) {
  if (handle == nullptr || descriptor == nullptr || data == nullptr || value == nullptr) {
    return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  }
  if (!descriptor->is_set) return CUDNN_STATUS_BAD_PARAM;
  using namespace rhyton::cuda_emulation;
  const Elements elements(descriptor->type, descriptor->format, descriptor->nchw);
  const cudaError_t error = enqueue(handle->stream, [elements, data, number = factor(value, elements.type)] {
    for (std::int64_t i = 0; i < elements.size(); ++i) write(data, elements.type, i, number);
  });
  return error == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* descriptor) { return create(descriptor); }

cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t descriptor, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  if (descriptor == nullptr || !are_positive({k, c, h, w})) return CUDNN_STATUS_BAD_PARAM;
  if (format == CUDNN_TENSOR_NCHW_VECT_C) return CUDNN_STATUS_NOT_SUPPORTED;
  *descriptor = {true, format, type, {k, c, h, w}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t* descriptor) { return create(descriptor); }

cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t descriptor, cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t, double) {
  if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *descriptor = {true, mode};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* descriptor) { return create(descriptor); }

cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t descriptor, int pad_h, int pad_w,
                                              int stride_h, int stride_w, int dilation_h, int dilation_w,
                                              cudnnConvolutionMode_t mode, cudnnDataType_t compute_type) {
  if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  if (pad_h < 0 || pad_w < 0 || !are_positive({stride_h, stride_w, dilation_h, dilation_w})) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  descriptor->is_set = true;
  descriptor->pad = {pad_h, pad_w};
  descriptor->stride = {stride_h, stride_w};
  descriptor->dilation = {dilation_h, dilation_w};
  descriptor->mode = mode;
  descriptor->compute_type = compute_type;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t descriptor, cudnnMathType_t math) {
  if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  descriptor->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t descriptor, int groups) {
  if (descriptor == nullptr || groups < 1) return CUDNN_STATUS_BAD_PARAM;
  descriptor->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
