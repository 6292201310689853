#include <cudnn_convolution.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <span>

namespace rhyton::cuda_emulation {
namespace {

struct Algorithm {
  int number;
  cudnnDeterminism_t determinism;
  bool has_workspace;
  bool is_winograd;
};

/// The fastest first, in the emulation's order. The real library has the others for planar images only.
std::span<const Algorithm> algorithms_of(Direction direction) {
  static constexpr std::array<Algorithm, 3> forward = {
      {{CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, CUDNN_DETERMINISTIC, true, true},
       {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, CUDNN_DETERMINISTIC, true, false},
       {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, CUDNN_DETERMINISTIC, false, false}}};
  static constexpr std::array<Algorithm, 3> data = {
      {{CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, CUDNN_NON_DETERMINISTIC, false, false},
       {CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED, CUDNN_DETERMINISTIC, true, true},
       {CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, CUDNN_DETERMINISTIC, true, false}}};
  static constexpr std::array<Algorithm, 4> filter = {
      {{CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, CUDNN_NON_DETERMINISTIC, false, false},
       {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3, CUDNN_NON_DETERMINISTIC, true, false},
       {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED, CUDNN_DETERMINISTIC, true, true},
       {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, CUDNN_DETERMINISTIC, true, false}}};
  if (direction == Direction::forward) return forward;
  if (direction == Direction::data) return data;
  return filter;
}

/// Null if the direction has no algorithm of this number.
const Algorithm* find_algorithm(Direction direction, int number) {
  const std::span<const Algorithm> algorithms = algorithms_of(direction);
  const auto found = std::ranges::find(algorithms, number, &Algorithm::number);
  return found == algorithms.end() ? nullptr : &*found;
}

}  // namespace

std::size_t bytes_of(cudnnDataType_t type) { return type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT ? 4 : 2; }

double read(const void* data, cudnnDataType_t type, std::int64_t index) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
      return static_cast<const double*>(data)[index];
    case CUDNN_DATA_FLOAT:
      return static_cast<const float*>(data)[index];
    case CUDNN_DATA_HALF:
      return __half2float(static_cast<const __half*>(data)[index]);
    default:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[index]);
  }
}

void write(void* data, cudnnDataType_t type, std::int64_t index, double value) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
      static_cast<double*>(data)[index] = value;
      return;
    case CUDNN_DATA_FLOAT:
      static_cast<float*>(data)[index] = static_cast<float>(value);
      return;
    case CUDNN_DATA_HALF:
      static_cast<__half*>(data)[index] = __float2half_rn(static_cast<float>(value));
      return;
    default:
      static_cast<__nv_bfloat16*>(data)[index] = __float2bfloat16_rn(static_cast<float>(value));
  }
}

double factor(const void* address, cudnnDataType_t type) {
  return type == CUDNN_DATA_DOUBLE ? *static_cast<const double*>(address) : *static_cast<const float*>(address);
}

cudnnStatus_t verify(cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                     cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t y) {
  if (handle == nullptr || x == nullptr || w == nullptr || convolution == nullptr || y == nullptr) {
    return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  }
  if (!x->is_set || !w->is_set || !convolution->is_set || !y->is_set) return CUDNN_STATUS_BAD_PARAM;
  if (x->type != w->type || x->type != y->type) return CUDNN_STATUS_BAD_PARAM;
  const cudnnDataType_t compute_type = x->type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  if (convolution->compute_type != compute_type) return CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE;
  if (x->format != y->format || x->format != w->format) return CUDNN_STATUS_NOT_SUPPORTED_LAYOUT;
  if (x->format == CUDNN_TENSOR_NHWC && x->type == CUDNN_DATA_DOUBLE) return CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE;
  const int groups = convolution->groups;
  if (x->nchw[1] != w->kcrs[1] * groups || w->kcrs[0] % groups != 0) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  if (y->nchw[0] != x->nchw[0] || y->nchw[1] != w->kcrs[0]) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int extent = (w->kcrs[axis + 2] - 1) * convolution->dilation[axis] + 1;
    const int room = x->nchw[axis + 2] + 2 * convolution->pad[axis] - extent;
    if (room < 0 || y->nchw[axis + 2] != room / convolution->stride[axis] + 1) {
      return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
    }
  }
  return CUDNN_STATUS_SUCCESS;
}

Problem problem_of(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, cudnnConvolutionDescriptor_t convolution,
                   cudnnTensorDescriptor_t y) {
  return {Elements(x->type, x->format, x->nchw), Elements(w->type, w->format, w->kcrs),
          Elements(y->type, y->format, y->nchw), *convolution};
}

cudnnStatus_t workspace_bytes(Direction direction, const Problem& problem, int number, std::size_t& bytes) {
  const Algorithm* const algorithm = find_algorithm(direction, number);
  if (algorithm == nullptr) return CUDNN_STATUS_NOT_SUPPORTED;
  const cudnnConvolutionStruct& convolution = problem.convolution;
  if (algorithm->is_winograd &&
      (problem.w.lengths[2] != 3 || problem.w.lengths[3] != 3 || convolution.stride != std::array{1, 1} ||
       convolution.dilation != std::array{1, 1} || convolution.groups != 1)) {
    return CUDNN_STATUS_NOT_SUPPORTED_SHAPE;
  }
  const bool is_half = problem.x.type == CUDNN_DATA_HALF || problem.x.type == CUDNN_DATA_BFLOAT16;
  const bool is_uneven = convolution.groups != 1 || problem.x.lengths[1] % 8 != 0 || problem.y.lengths[1] % 8 != 0;
  if (is_half && is_uneven) {
    const cudnnStatus_t status = answer_to(CudnnRefusal::uneven_half_types);
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  bytes = algorithm->has_workspace ? problem.w.bytes() + 1000 * static_cast<std::size_t>(number + 1) : 0;
  return CUDNN_STATUS_SUCCESS;
}

std::vector<RankedAlgorithm> ranked_algorithms(Direction direction, const Problem& problem) {
  std::vector<RankedAlgorithm> ranked;
  for (const Algorithm& algorithm : algorithms_of(direction)) {
    std::size_t bytes = 0;
    const cudnnStatus_t status = workspace_bytes(direction, problem, algorithm.number, bytes);
    ranked.push_back({algorithm.number, algorithm.determinism, status, bytes});
  }
  return ranked;
}

cudnnStatus_t verify_call(Direction direction, const Problem& problem, int algorithm, const void* workspace,
                          std::size_t workspace_size, std::initializer_list<const void*> addresses) {
  for (const void* const address : addresses) {
    if (address == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  }
  cudnnStatus_t status = answer_to(CudnnRefusal::convolutions);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  std::size_t needed = 0;
  status = workspace_bytes(direction, problem, algorithm, needed);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (workspace_size < needed || (needed > 0 && workspace == nullptr)) return CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT;
  return find_algorithm(direction, algorithm)->is_winograd ? answer_to(CudnnRefusal::winograd_convolutions)
                                                           : CUDNN_STATUS_SUCCESS;
}

}  // namespace rhyton::cuda_emulation
