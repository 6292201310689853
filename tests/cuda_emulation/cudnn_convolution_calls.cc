#include <utility>

#include <cudnn_convolution.h>
#include <emulator.h>
#include <tensor_float_32.h>

using namespace rhyton::cuda_emulation;

namespace {

template <class Result>
cudnnStatus_t rank(Direction direction, const Problem& problem, int requested, int* returned, Result* results) {
  if (requested < 1 || returned == nullptr || results == nullptr) return CUDNN_STATUS_BAD_PARAM;
  note_query();
  const cudnnStatus_t answer = answer_to(CudnnRefusal::queries);
  if (answer != CUDNN_STATUS_SUCCESS) return answer;
  *returned = 0;
  for (const RankedAlgorithm& algorithm : ranked_algorithms(direction, problem)) {
    if (*returned == requested) break;
    Result& result = results[*returned];
    result = {};
    result.algo = static_cast<decltype(result.algo)>(algorithm.number);
    result.status = algorithm.status;
    result.time = -1;
    result.memory = algorithm.bytes;
    result.determinism = algorithm.determinism;
    result.mathType = problem.convolution.math;
    ++*returned;
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t give(cudnnHandle_t handle, std::function<void()> work) {
  return enqueue(handle->stream, std::move(work)) == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

/// The byte value that fills memory which the library may overwrite.
constexpr int poison = 0xFF;

/// Reads a factor of a product, for float32 in TensorFloat-32 unless the math of the call forbids it.
double read_factor(const Problem& problem, const void* data, cudnnDataType_t type, std::int64_t index) {
  const double value = read(data, type, index);
  const bool is_rounded = type == CUDNN_DATA_FLOAT && problem.convolution.math != CUDNN_FMA_MATH;
  return is_rounded ? rounded_to_tensor_float_32(static_cast<float>(value)) : value;
}

/// Submits to the stream the sum of products that `sum` adds to an array of the output's length.
template <class Sum>
cudnnStatus_t enqueue_sum(cudnnHandle_t handle, const Elements& output, void* data, double alpha, double beta,
                          void* workspace, std::size_t workspace_size, Sum sum) {
  return give(handle, [=] {
    if (workspace != nullptr) std::memset(workspace, poison, workspace_size);
    std::vector<double> sums(static_cast<std::size_t>(output.size()));
    sum(sums);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      const double before = beta == 0 ? 0 : beta * read(data, output.type, place);
      write(data, output.type, place, alpha * sums[i] + before);
    }
  });
}

}  // namespace

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                                     const cudnnFilterDescriptor_t w,
                                                     const cudnnConvolutionDescriptor_t convolution,
                                                     const cudnnTensorDescriptor_t y, const int requested,
                                                     int* returned, cudnnConvolutionFwdAlgoPerf_t* results) {
  const cudnnStatus_t status = verify(handle, x, w, convolution, y);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  return rank(Direction::forward, problem_of(x, w, convolution, y), requested, returned, results);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                                      const cudnnFilterDescriptor_t w,
                                                      const cudnnConvolutionDescriptor_t convolution,
                                                      const cudnnTensorDescriptor_t y,
                                                      cudnnConvolutionFwdAlgo_t algorithm, size_t* bytes) {
  const cudnnStatus_t status = verify(handle, x, w, convolution, y);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  return workspace_bytes(Direction::forward, problem_of(x, w, convolution, y), algorithm, *bytes);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha,
                                      const cudnnTensorDescriptor_t x_descriptor, const void* x,
                                      const cudnnFilterDescriptor_t w_descriptor, const void* w,
                                      const cudnnConvolutionDescriptor_t convolution,
                                      cudnnConvolutionFwdAlgo_t algorithm, void* workspace, size_t workspace_size,
                                      const void* beta, const cudnnTensorDescriptor_t y_descriptor, void* y) {
  cudnnStatus_t status = verify(handle, x_descriptor, w_descriptor, convolution, y_descriptor);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  const Problem problem = problem_of(x_descriptor, w_descriptor, convolution, y_descriptor);
  status = verify_call(Direction::forward, problem, algorithm, workspace, workspace_size, {alpha, beta, x, w, y});
  if (status != CUDNN_STATUS_SUCCESS) return status;
  note_call(algorithm, convolution->math);
  return enqueue_sum(handle, problem.y, y, factor(alpha, problem.y.type), factor(beta, problem.y.type), workspace,
                     workspace_size, [=](std::vector<double>& sums) {
                       problem.for_each_product([&](std::int64_t from, std::int64_t weight, std::int64_t to) {
                         sums[static_cast<std::size_t>(to)] += read_factor(problem, x, problem.x.type, from) *
                                                               read_factor(problem, w, problem.w.type, weight);
                       });
                     });
}

cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void* alpha1, const cudnnTensorDescriptor_t x_descriptor, const void* x,
    const cudnnFilterDescriptor_t w_descriptor, const void* w, const cudnnConvolutionDescriptor_t convolution,
    cudnnConvolutionFwdAlgo_t algorithm, void* workspace, size_t workspace_size, const void* alpha2,
    const cudnnTensorDescriptor_t z_descriptor, const void* z, const cudnnTensorDescriptor_t bias_descriptor,
    const void* bias, const cudnnActivationDescriptor_t activation, const cudnnTensorDescriptor_t y_descriptor,
    void* y) {
  cudnnStatus_t status = verify(handle, x_descriptor, w_descriptor, convolution, y_descriptor);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (z_descriptor == nullptr || bias_descriptor == nullptr || activation == nullptr || !activation->is_set) {
    return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  }
  const Problem problem = problem_of(x_descriptor, w_descriptor, convolution, y_descriptor);
  status = verify_call(Direction::forward, problem, algorithm, workspace, workspace_size,
                       {alpha1, alpha2, x, w, y, z, bias});
  if (status != CUDNN_STATUS_SUCCESS) return status;
  status = answer_to(CudnnRefusal::fused_convolutions);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (bias_descriptor->type != y_descriptor->type ||
      bias_descriptor->nchw != std::array<int, 4>{1, y_descriptor->nchw[1], 1, 1}) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  if (z_descriptor->nchw != y_descriptor->nchw || z_descriptor->format != y_descriptor->format ||
      z_descriptor->type != y_descriptor->type) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const bool is_relu = activation->mode == CUDNN_ACTIVATION_RELU;
  if (!is_relu && (activation->mode != CUDNN_ACTIVATION_IDENTITY ||
                   algorithm != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM)) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  const cudnnDataType_t type = problem.y.type;
  const double product_factor = factor(alpha1, type);
  const double addend_factor = factor(alpha2, type);
  const Elements biases(type, CUDNN_TENSOR_NHWC, bias_descriptor->nchw);
  note_call(algorithm, convolution->math, true, is_relu);
  return give(handle, [=] {
    if (workspace != nullptr) std::memset(workspace, poison, workspace_size);
    std::vector<double> sums(static_cast<std::size_t>(problem.y.size()));
    problem.for_each_product([&](std::int64_t from, std::int64_t weight, std::int64_t to) {
      sums[static_cast<std::size_t>(to)] += read_factor(problem, x, type, from) * read_factor(problem, w, type, weight);
    });
    const std::array<int, 4>& lengths = problem.y.lengths;
    for (int n = 0; n < lengths[0]; ++n) {
      for (int k = 0; k < lengths[1]; ++k) {
        for (int p = 0; p < lengths[2]; ++p) {
          for (int q = 0; q < lengths[3]; ++q) {
            const std::int64_t place = problem.y.at(n, k, p, q);
            double value = product_factor * sums[static_cast<std::size_t>(place)];
            if (addend_factor != 0) value += addend_factor * read(z, type, place);
            value += read(bias, type, biases.at(0, k, 0, 0));
            // NaN becomes 0 regardless of the descriptor, as in the real library's kernels for tensor cores.
            if (is_relu && !(value > 0)) value = 0;
            write(y, type, place, value);
          }
        }
      }
    }
  });
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t handle, const cudnnFilterDescriptor_t w,
                                                          const cudnnTensorDescriptor_t dy,
                                                          const cudnnConvolutionDescriptor_t convolution,
                                                          const cudnnTensorDescriptor_t dx, const int requested,
                                                          int* returned, cudnnConvolutionBwdDataAlgoPerf_t* results) {
  const cudnnStatus_t status = verify(handle, dx, w, convolution, dy);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  return rank(Direction::data, problem_of(dx, w, convolution, dy), requested, returned, results);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t handle, const cudnnFilterDescriptor_t w,
                                                           const cudnnTensorDescriptor_t dy,
                                                           const cudnnConvolutionDescriptor_t convolution,
                                                           const cudnnTensorDescriptor_t dx,
                                                           cudnnConvolutionBwdDataAlgo_t algorithm, size_t* bytes) {
  const cudnnStatus_t status = verify(handle, dx, w, convolution, dy);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  return workspace_bytes(Direction::data, problem_of(dx, w, convolution, dy), algorithm, *bytes);
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                           const cudnnFilterDescriptor_t w_descriptor, const void* w,
                                           const cudnnTensorDescriptor_t dy_descriptor, const void* dy,
                                           const cudnnConvolutionDescriptor_t convolution,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                           size_t workspace_size, const void* beta,
                                           const cudnnTensorDescriptor_t dx_descriptor, void* dx) {
  cudnnStatus_t status = verify(handle, dx_descriptor, w_descriptor, convolution, dy_descriptor);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  const Problem problem = problem_of(dx_descriptor, w_descriptor, convolution, dy_descriptor);
  status = verify_call(Direction::data, problem, algorithm, workspace, workspace_size, {alpha, beta, w, dy, dx});
  if (status != CUDNN_STATUS_SUCCESS) return status;
  note_call(algorithm, convolution->math);
  return enqueue_sum(handle, problem.x, dx, factor(alpha, problem.x.type), factor(beta, problem.x.type), workspace,
                     workspace_size, [=](std::vector<double>& sums) {
                       problem.for_each_product([&](std::int64_t to, std::int64_t weight, std::int64_t from) {
                         sums[static_cast<std::size_t>(to)] += read_factor(problem, dy, problem.y.type, from) *
                                                               read_factor(problem, w, problem.w.type, weight);
                       });
                     });
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                                            const cudnnTensorDescriptor_t dy,
                                                            const cudnnConvolutionDescriptor_t convolution,
                                                            const cudnnFilterDescriptor_t dw, const int requested,
                                                            int* returned,
                                                            cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  const cudnnStatus_t status = verify(handle, x, dw, convolution, dy);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  return rank(Direction::filter, problem_of(x, dw, convolution, dy), requested, returned, results);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                                             const cudnnTensorDescriptor_t dy,
                                                             const cudnnConvolutionDescriptor_t convolution,
                                                             const cudnnFilterDescriptor_t dw,
                                                             cudnnConvolutionBwdFilterAlgo_t algorithm, size_t* bytes) {
  const cudnnStatus_t status = verify(handle, x, dw, convolution, dy);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  return workspace_bytes(Direction::filter, problem_of(x, dw, convolution, dy), algorithm, *bytes);
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha,
                                             const cudnnTensorDescriptor_t x_descriptor, const void* x,
                                             const cudnnTensorDescriptor_t dy_descriptor, const void* dy,
                                             const cudnnConvolutionDescriptor_t convolution,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace,
                                             size_t workspace_size, const void* beta,
                                             const cudnnFilterDescriptor_t dw_descriptor, void* dw) {
  cudnnStatus_t status = verify(handle, x_descriptor, dw_descriptor, convolution, dy_descriptor);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  const Problem problem = problem_of(x_descriptor, dw_descriptor, convolution, dy_descriptor);
  status = verify_call(Direction::filter, problem, algorithm, workspace, workspace_size, {alpha, beta, x, dy, dw});
  if (status != CUDNN_STATUS_SUCCESS) return status;
  note_call(algorithm, convolution->math);
  return enqueue_sum(handle, problem.w, dw, factor(alpha, problem.w.type), factor(beta, problem.w.type), workspace,
                     workspace_size, [=](std::vector<double>& sums) {
                       problem.for_each_product([&](std::int64_t from, std::int64_t to, std::int64_t gradient) {
                         sums[static_cast<std::size_t>(to)] += read_factor(problem, x, problem.x.type, from) *
                                                               read_factor(problem, dy, problem.y.type, gradient);
                       });
                     });
}
