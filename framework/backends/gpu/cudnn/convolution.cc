#include <rhyton/framework/backends/gpu/cudnn/convolution.h>

#include <array>

#include <rhyton/framework/backends/gpu/runtime/check.h>
#include <rhyton/framework/device/device_log.h>

namespace rhyton::gpu {
namespace {

/// More than cuDNN's number of algorithms, each with every kind of math.
constexpr int max_results = 32;

cudnnDataType_t cudnn_type(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return CUDNN_DATA_DOUBLE;
    case DType::float16:
      return CUDNN_DATA_HALF;
    case DType::bfloat16:
      return CUDNN_DATA_BFLOAT16;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

/// The category of a status: the first status of that category.
cudnnStatus_t category_of(cudnnStatus_t status) {
  constexpr int size = 1000;
  return static_cast<cudnnStatus_t>(static_cast<int>(status) / size * size);
}

/// Whether an error status concerns only the algorithm or the convolution of the call: another one may succeed. `error`
/// is CUDA's error.
bool is_refusal(cudnnStatus_t status, cudaError_t error) {
  switch (category_of(status)) {
    case CUDNN_STATUS_BAD_PARAM:
    case CUDNN_STATUS_NOT_SUPPORTED:
    case CUDNN_STATUS_INTERNAL_ERROR:
      return true;
    case CUDNN_STATUS_EXECUTION_FAILED:
      return error == cudaSuccess;
    default:
      return false;
  }
}

const char* name_of_math(cudnnMathType_t math) {
  switch (math) {
    case CUDNN_TENSOR_OP_MATH:
      return "CUDNN_TENSOR_OP_MATH";
    case CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION:
      return "CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION";
    case CUDNN_FMA_MATH:
      return "CUDNN_FMA_MATH";
    default:
      return "CUDNN_DEFAULT_MATH";
  }
}

const char* name_of_direction(ConvolutionDirection direction) {
  switch (direction) {
    case ConvolutionDirection::input_gradient:
      return "Conv2DInputGradient";
    case ConvolutionDirection::kernel_gradient:
      return "Conv2DKernelGradient";
    default:
      return "Conv2D";
  }
}

template <class Handle>
Handle made(cudnnStatus_t (*create)(Handle*), const char* call) {
  Handle handle = nullptr;
  check(create(&handle), call);
  return handle;
}

// Factors of cuDNN's results: those of all dtypes used here are given as float.
constexpr float one = 1;
constexpr float zero = 0;

}  // namespace

std::optional<ConvolutionAlgorithm> choose_algorithm(std::span<const ConvolutionAlgorithm> ranked, bool deterministic,
                                                     std::size_t max_workspace_bytes) {
  std::optional<ConvolutionAlgorithm> first;
  for (const ConvolutionAlgorithm& algorithm : ranked) {
    if (algorithm.workspace_bytes > max_workspace_bytes) continue;
    if (algorithm.is_deterministic) return algorithm;
    if (!deterministic && !first) first = algorithm;
  }
  return first;
}

std::vector<ConvolutionAlgorithm> algorithms_to_try(std::span<const ConvolutionAlgorithm> ranked, bool deterministic,
                                                    std::size_t max_workspace_bytes) {
  std::vector<ConvolutionAlgorithm> left(ranked.begin(), ranked.end());
  std::vector<ConvolutionAlgorithm> result;
  while (const std::optional<ConvolutionAlgorithm> best = choose_algorithm(left, deterministic, max_workspace_bytes)) {
    if (result.empty()) max_workspace_bytes = best->workspace_bytes;
    result.push_back(*best);
    std::erase_if(left, [&](const ConvolutionAlgorithm& algorithm) {
      return algorithm.number == best->number && algorithm.math == best->math;
    });
  }
  return result;
}

std::string describe(const ConvolutionProblem& problem, ConvolutionDirection direction) {
  const auto pair = [](const std::array<std::int64_t, 2>& values) {
    return std::to_string(values[0]) + "x" + std::to_string(values[1]);
  };
  return std::string(name_of_direction(direction)) + " " + std::string(name_of(problem.dtype)) + ", " +
         std::to_string(problem.images) + " images " + pair(problem.input) + "x" + std::to_string(problem.channels) +
         ", " + std::to_string(problem.filters) + " filters " + pair(problem.kernel) + ", strides " +
         pair(problem.strides) + ", dilation " + pair(problem.dilation) + ", padding " + pair(problem.pad_before) +
         ", groups " + std::to_string(problem.groups);
}

std::string describe(const ConvolutionAlgorithm& algorithm) {
  return "algorithm " + std::to_string(algorithm.number) + " with " + name_of_math(algorithm.math) + " and " +
         std::to_string(algorithm.workspace_bytes) + " bytes of workspace";
}

Convolution::TensorDescriptor Convolution::tensor(cudnnDataType_t type, std::int64_t images, std::int64_t channels,
                                                  std::int64_t rows, std::int64_t columns) {
  TensorDescriptor result(made(&cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor"));
  check(cudnnSetTensor4dDescriptor(result.get(), CUDNN_TENSOR_NHWC, type, static_cast<int>(images),
                                   static_cast<int>(channels), static_cast<int>(rows), static_cast<int>(columns)),
        "cudnnSetTensor4dDescriptor");
  return result;
}

Convolution::Convolution(const ConvolutionProblem& problem, ConvolutionDirection direction, bool tensor_float_32)
    : problem_(problem),
      direction_(direction),
      is_exact_(problem.dtype == DType::float32 && !tensor_float_32),
      math_(problem.dtype == DType::float32 ? (tensor_float_32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH)
                                            : CUDNN_TENSOR_OP_MATH) {
  const cudnnDataType_t type = cudnn_type(problem.dtype);
  x_ = tensor(type, problem.images, problem.channels, problem.input[0], problem.input[1]);
  y_ = tensor(type, problem.images, problem.filters, problem.output[0], problem.output[1]);
  bias_ = tensor(type, 1, problem.filters, 1, 1);
  kernel_.reset(made(&cudnnCreateFilterDescriptor, "cudnnCreateFilterDescriptor"));
  check(cudnnSetFilter4dDescriptor(kernel_.get(), type, CUDNN_TENSOR_NHWC, static_cast<int>(problem.filters),
                                   static_cast<int>(problem.group_channels()), static_cast<int>(problem.kernel[0]),
                                   static_cast<int>(problem.kernel[1])),
        "cudnnSetFilter4dDescriptor");
  convolution_.reset(made(&cudnnCreateConvolutionDescriptor, "cudnnCreateConvolutionDescriptor"));
  check(
      cudnnSetConvolution2dDescriptor(convolution_.get(), static_cast<int>(problem.pad_before[0]),
                                      static_cast<int>(problem.pad_before[1]), static_cast<int>(problem.strides[0]),
                                      static_cast<int>(problem.strides[1]), static_cast<int>(problem.dilation[0]),
                                      static_cast<int>(problem.dilation[1]), CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
      "cudnnSetConvolution2dDescriptor");
  check(cudnnSetConvolutionGroupCount(convolution_.get(), static_cast<int>(problem.groups)),
        "cudnnSetConvolutionGroupCount");
  check(cudnnSetConvolutionMathType(convolution_.get(), math_), "cudnnSetConvolutionMathType");
  identity_.reset(made(&cudnnCreateActivationDescriptor, "cudnnCreateActivationDescriptor"));
  check(cudnnSetActivationDescriptor(identity_.get(), CUDNN_ACTIVATION_IDENTITY, CUDNN_NOT_PROPAGATE_NAN, 0.0),
        "cudnnSetActivationDescriptor");
}

template <class Result>
ConvolutionAlgorithm Convolution::described(const Result& result) const {
  return {.number = static_cast<int>(result.algo),
          .math = is_exact_ ? CUDNN_FMA_MATH : result.mathType,
          .workspace_bytes = result.memory,
          .is_deterministic = result.determinism == CUDNN_DETERMINISTIC};
}

bool Convolution::workspace_bytes(cudnnHandle_t handle, const ConvolutionAlgorithm& algorithm,
                                  std::size_t& bytes) const {
  check(cudnnSetConvolutionMathType(convolution_.get(), algorithm.math), "cudnnSetConvolutionMathType");
  switch (direction_) {
    case ConvolutionDirection::input_gradient:
      return cudnnGetConvolutionBackwardDataWorkspaceSize(handle, kernel_.get(), y_.get(), convolution_.get(), x_.get(),
                                                          static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm.number),
                                                          &bytes) == CUDNN_STATUS_SUCCESS;
    case ConvolutionDirection::kernel_gradient:
      return cudnnGetConvolutionBackwardFilterWorkspaceSize(
                 handle, x_.get(), y_.get(), convolution_.get(), kernel_.get(),
                 static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm.number), &bytes) == CUDNN_STATUS_SUCCESS;
    default:
      return cudnnGetConvolutionForwardWorkspaceSize(handle, x_.get(), kernel_.get(), convolution_.get(), y_.get(),
                                                     static_cast<cudnnConvolutionFwdAlgo_t>(algorithm.number),
                                                     &bytes) == CUDNN_STATUS_SUCCESS;
  }
}

template <class Result>
std::vector<ConvolutionAlgorithm> Convolution::usable(cudnnHandle_t handle, std::span<const Result> results) const {
  std::vector<ConvolutionAlgorithm> algorithms;
  for (const Result& result : results) {
    if (result.status != CUDNN_STATUS_SUCCESS) continue;
    ConvolutionAlgorithm algorithm = described(result);
    if (workspace_bytes(handle, algorithm, algorithm.workspace_bytes)) algorithms.push_back(algorithm);
  }
  check(cudnnSetConvolutionMathType(convolution_.get(), math_), "cudnnSetConvolutionMathType");
  return algorithms;
}

std::vector<ConvolutionAlgorithm> Convolution::algorithms(cudnnHandle_t handle) const {
  int count = 0;
  const auto answer = [&]<class Result>(std::array<Result, max_results>& results, cudnnStatus_t status,
                                        const char* call) -> std::vector<ConvolutionAlgorithm> {
    if (!is_answered(status, call)) return {};
    return usable(handle, std::span<const Result>(results).first(static_cast<std::size_t>(count)));
  };
  if (direction_ == ConvolutionDirection::input_gradient) {
    std::array<cudnnConvolutionBwdDataAlgoPerf_t, max_results> results{};
    const cudnnStatus_t status = cudnnGetConvolutionBackwardDataAlgorithm_v7(
        handle, kernel_.get(), y_.get(), convolution_.get(), x_.get(), max_results, &count, results.data());
    return answer(results, status, "cudnnGetConvolutionBackwardDataAlgorithm_v7");
  }
  if (direction_ == ConvolutionDirection::kernel_gradient) {
    std::array<cudnnConvolutionBwdFilterAlgoPerf_t, max_results> results{};
    const cudnnStatus_t status = cudnnGetConvolutionBackwardFilterAlgorithm_v7(
        handle, x_.get(), y_.get(), convolution_.get(), kernel_.get(), max_results, &count, results.data());
    return answer(results, status, "cudnnGetConvolutionBackwardFilterAlgorithm_v7");
  }
  std::array<cudnnConvolutionFwdAlgoPerf_t, max_results> results{};
  const cudnnStatus_t status = cudnnGetConvolutionForwardAlgorithm_v7(
      handle, x_.get(), kernel_.get(), convolution_.get(), y_.get(), max_results, &count, results.data());
  return answer(results, status, "cudnnGetConvolutionForwardAlgorithm_v7");
}

void Convolution::set_algorithm(const ConvolutionAlgorithm& algorithm) {
  check(cudnnSetConvolutionMathType(convolution_.get(), algorithm.math), "cudnnSetConvolutionMathType");
  algorithm_ = algorithm;
}

bool Convolution::is_answered(cudnnStatus_t status, const char* call) const {
  if (status == CUDNN_STATUS_SUCCESS) return true;
  const cudaError_t error = cudaGetLastError();
  if (!is_refusal(status, error)) {
    check(error, call);
    check(status, call);
  }
  log_device_event("cuDNN refuses " + std::string(call) + " (" + describe(problem_, direction_) +
                   "): " + describe(status) + ".");
  return false;
}

void Convolution::log_refusal(cudnnStatus_t status, const char* call) const {
  log_device_event("cuDNN refuses " + std::string(call) + " (" + describe(problem_, direction_) + ") by " +
                   describe(algorithm_) + ": " + describe(status) + ".");
}

bool Convolution::is_done(cudnnStatus_t status, const char* call) const {
  if (status == CUDNN_STATUS_SUCCESS) return true;
  // Clears the error, too, so that it is not attributed to the next kernel.
  const cudaError_t error = cudaGetLastError();
  if (is_refusal(status, error)) {
    log_refusal(status, call);
    return false;
  }
  check(error, call);
  check(status, call);
  return false;
}

bool Convolution::run(cudnnHandle_t handle, const ConvolutionAddresses& addresses) const {
  switch (direction_) {
    case ConvolutionDirection::input_gradient:
      return is_done(cudnnConvolutionBackwardData(
                         handle, &one, kernel_.get(), addresses.kernel, y_.get(), addresses.y, convolution_.get(),
                         static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm_.number), addresses.workspace,
                         addresses.workspace_bytes, &zero, x_.get(), addresses.x),
                     "cudnnConvolutionBackwardData");
    case ConvolutionDirection::kernel_gradient:
      return is_done(cudnnConvolutionBackwardFilter(
                         handle, &one, x_.get(), addresses.x, y_.get(), addresses.y, convolution_.get(),
                         static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm_.number), addresses.workspace,
                         addresses.workspace_bytes, &zero, kernel_.get(), addresses.kernel),
                     "cudnnConvolutionBackwardFilter");
    default:
      return is_done(
          cudnnConvolutionForward(handle, &one, x_.get(), addresses.x, kernel_.get(), addresses.kernel,
                                  convolution_.get(), static_cast<cudnnConvolutionFwdAlgo_t>(algorithm_.number),
                                  addresses.workspace, addresses.workspace_bytes, &zero, y_.get(), addresses.y),
          "cudnnConvolutionForward");
  }
}

bool Convolution::is_fusible() const {
  // Without an activation cuDNN supports this for one algorithm only.
  return direction_ == ConvolutionDirection::forward &&
         algorithm_.number == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
}

bool Convolution::run_fused(cudnnHandle_t handle, const ConvolutionAddresses& addresses, const void* bias) const {
  constexpr const char* call = "cudnnConvolutionBiasActivationForward";
  const cudnnStatus_t status = cudnnConvolutionBiasActivationForward(
      handle, &one, x_.get(), addresses.x, kernel_.get(), addresses.kernel, convolution_.get(),
      static_cast<cudnnConvolutionFwdAlgo_t>(algorithm_.number), addresses.workspace, addresses.workspace_bytes, &zero,
      y_.get(), addresses.y, bias_.get(), bias, identity_.get(), y_.get(), addresses.y);
  if (status == CUDNN_STATUS_SUCCESS) return true;
  check(cudaGetLastError(), call);
  // Whatever the error: cuDNN reports only the workspace of the call without a bias, which may be too small for this
  // one.
  log_refusal(status, call);
  return false;
}

}  // namespace rhyton::gpu
