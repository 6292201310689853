#include <cublasLt.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include <cublas_lt_emulation.h>
#include <cublas_lt_state.h>
#include <emulator.h>
#include <tensor_float_32.h>

struct cublasLtContext {
  int device;
};

namespace {

using rhyton::cuda_emulation::recommended_algorithms;
using rhyton::cuda_emulation::RefusedProducts;
using rhyton::cuda_emulation::RefusedQueries;
using rhyton::cuda_emulation::rounded_to_tensor_float_32;
using rhyton::cuda_emulation::cublas_lt::Algorithm;
using rhyton::cuda_emulation::cublas_lt::initialized;
using rhyton::cuda_emulation::cublas_lt::Layout;
using rhyton::cuda_emulation::cublas_lt::Operation;
using rhyton::cuda_emulation::cublas_lt::Preference;
using rhyton::cuda_emulation::cublas_lt::set_state;
using rhyton::cuda_emulation::cublas_lt::state_of;

// --- Checks ----------------------------------------------------------------------------------------------------------

/// The status of calls that add a bias.
std::atomic<cublasStatus_t> bias_status{CUBLAS_STATUS_SUCCESS};
std::atomic<int> refused_algorithms{0};
std::atomic<cublasStatus_t> refusal{CUBLAS_STATUS_NOT_SUPPORTED};
std::atomic<RefusedProducts> refused_products{RefusedProducts::all};
std::atomic<cublasStatus_t> query_status{CUBLAS_STATUS_SUCCESS};
std::atomic<RefusedQueries> refused_queries{RefusedQueries::all};
std::atomic<std::int64_t> heuristics{0};
std::atomic<std::int64_t> products{0};
std::atomic<std::int64_t> products_with_bias{0};
std::atomic<std::int64_t> refusals{0};

struct Problem {
  Operation operation;
  Layout a, b, c, d;

  std::uint64_t rows() const { return d.rows; }
  std::uint64_t columns() const { return d.columns; }
  std::uint64_t depth() const { return operation.transpose_a == CUBLAS_OP_N ? a.columns : a.rows; }
  bool adds_bias() const { return (operation.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0; }
  bool rectifies() const { return (operation.epilogue & CUBLASLT_EPILOGUE_RELU) != 0; }
  bool is_double() const { return operation.compute_type == CUBLAS_COMPUTE_64F; }

  cublasStatus_t check() const;
  /// A hash that identifies this problem independently of its addresses.
  std::uint64_t fingerprint() const;
};

cublasStatus_t check_layout(const Layout& layout) {
  if (layout.mark != initialized) return CUBLAS_STATUS_INVALID_VALUE;
  if (layout.rows == 0 || layout.columns == 0 || layout.batch_count <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (layout.order != CUBLASLT_ORDER_COL) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (layout.leading_dimension < static_cast<std::int64_t>(layout.rows)) return CUBLAS_STATUS_INVALID_VALUE;
  if (layout.rows > INT32_MAX || layout.columns > INT32_MAX) return CUBLAS_STATUS_NOT_SUPPORTED;
  // Some of NVIDIA's algorithms have this limit.
  if (layout.batch_count > 65535) return CUBLAS_STATUS_NOT_SUPPORTED;
  return CUBLAS_STATUS_SUCCESS;
}

bool are_types_supported(const Operation& operation, std::int64_t type) {
  switch (operation.compute_type) {
    case CUBLAS_COMPUTE_64F:
      return operation.scale_type == CUDA_R_64F && type == CUDA_R_64F;
    case CUBLAS_COMPUTE_32F:
      return operation.scale_type == CUDA_R_32F && (type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF);
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return operation.scale_type == CUDA_R_32F && type == CUDA_R_32F;
    default:
      return false;
  }
}

bool is_transpose(std::int32_t operation) { return operation == CUBLAS_OP_T || operation == CUBLAS_OP_C; }

cublasStatus_t Problem::check() const {
  if (operation.mark != initialized) return CUBLAS_STATUS_INVALID_VALUE;
  for (const Layout* layout : {&a, &b, &c, &d}) {
    const cublasStatus_t status = check_layout(*layout);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    if (layout->type != d.type) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (layout->batch_count != d.batch_count) return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (!are_types_supported(operation, d.type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  for (const std::int32_t transpose : {operation.transpose_a, operation.transpose_b}) {
    if (transpose != CUBLAS_OP_N && !is_transpose(transpose)) return CUBLAS_STATUS_INVALID_VALUE;
  }
  const std::uint64_t rows_of_a = is_transpose(operation.transpose_a) ? a.columns : a.rows;
  const std::uint64_t rows_of_b = is_transpose(operation.transpose_b) ? b.columns : b.rows;
  const std::uint64_t columns_of_b = is_transpose(operation.transpose_b) ? b.rows : b.columns;
  if (rows_of_a != rows() || columns_of_b != columns() || rows_of_b != depth()) return CUBLAS_STATUS_INVALID_VALUE;
  if (c.rows != d.rows || c.columns != d.columns) return CUBLAS_STATUS_INVALID_VALUE;
  // Overlapping results would depend on the order of the products.
  const std::int64_t extent =
      d.leading_dimension * static_cast<std::int64_t>(d.columns - 1) + static_cast<std::int64_t>(d.rows);
  if (d.batch_count > 1 && std::abs(d.batch_stride) < extent) return CUBLAS_STATUS_INVALID_VALUE;
  switch (operation.epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_RELU:
      return CUBLAS_STATUS_SUCCESS;
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
      return bias_status;
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

std::uint64_t Problem::fingerprint() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](auto... values) {
    for (const std::uint64_t value : {static_cast<std::uint64_t>(values)...}) hash = (hash ^ value) * 0x100000001b3;
  };
  add(operation.compute_type, operation.scale_type, operation.transpose_a, operation.transpose_b, operation.epilogue,
      operation.bias_stride);
  for (const Layout* layout : {&a, &b, &c, &d}) {
    add(layout->type, layout->rows, layout->columns, layout->leading_dimension, layout->order, layout->batch_count,
        layout->batch_stride);
  }
  return hash;
}

std::uint32_t alignment_of(const void* address) {
  const auto value = reinterpret_cast<std::uintptr_t>(address) | 256;
  return static_cast<std::uint32_t>(value & (~value + 1));
}

bool is_aligned(const void* address, std::uint32_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

std::size_t element_bytes(std::int64_t type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    default:
      return 4;
  }
}

/// From the start of the first matrix to the end of the last.
std::size_t bytes_of(const Layout& layout) {
  const std::int64_t elements = (layout.batch_count - 1) * layout.batch_stride +
                                static_cast<std::int64_t>(layout.columns - 1) * layout.leading_dimension +
                                static_cast<std::int64_t>(layout.rows);
  return static_cast<std::size_t>(elements) * element_bytes(layout.type);
}

/// Whether the first and the last byte are in a device's memory.
bool lies_in(int device, const void* data, std::size_t bytes) {
  using rhyton::cuda_emulation::device_of;
  return bytes == 0 ||
         (device_of(data) == device && device_of(static_cast<const std::byte*>(data) + bytes - 1) == device);
}

/// Returns at most `maximum` algorithms. If there are several, the second one has a state that marks it as unsupported.
int recommend(Algorithm algorithm, int maximum, cublasLtMatmulHeuristicResult_t* results) {
  const int count = std::min(maximum, recommended_algorithms + 1);
  for (int i = 0; i < count; ++i) {
    results[i] = {};
    results[i].state = i == 1 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
    if (i == 1) continue;
    set_state(&results[i].algo, algorithm);
    results[i].workspaceSize = algorithm.workspace;
    results[i].wavesCount = 1;
    ++algorithm.rank;
  }
  return count;
}

bool is_refused(const Problem& problem, const Algorithm& algorithm) {
  return algorithm.rank < refused_algorithms && (refused_products == RefusedProducts::all || problem.adds_bias());
}

// --- Computation -----------------------------------------------------------------------------------------------------

template <class C>
C load(const void* data, std::int64_t type, std::int64_t index) {
  switch (type) {
    case CUDA_R_64F:
      return static_cast<C>(static_cast<const double*>(data)[index]);
    case CUDA_R_16F:
      return static_cast<C>(__half2float(static_cast<const __half*>(data)[index]));
    case CUDA_R_16BF:
      return static_cast<C>(__bfloat162float(static_cast<const __nv_bfloat16*>(data)[index]));
    default:
      return static_cast<C>(static_cast<const float*>(data)[index]);
  }
}

template <class C>
void store(void* data, std::int64_t type, std::int64_t index, C value) {
  switch (type) {
    case CUDA_R_64F:
      static_cast<double*>(data)[index] = static_cast<double>(value);
      break;
    case CUDA_R_16F:
      static_cast<__half*>(data)[index] = __float2half_rn(static_cast<float>(value));
      break;
    case CUDA_R_16BF:
      static_cast<__nv_bfloat16*>(data)[index] = __float2bfloat16_rn(static_cast<float>(value));
      break;
    default:
      static_cast<float*>(data)[index] = static_cast<float>(value);
  }
}

struct Addresses {
  const void* a;
  const void* b;
  const void* c;
  void* d;
  void* workspace;
};

/// One matrix of a batch: `vectors` of its rows or columns, each of `depth` numbers, in sequence.
template <class C>
std::vector<C> gathered(const void* data, const Layout& layout, std::int64_t batch, bool vectors_are_columns,
                        bool is_tensor_float_32) {
  const auto rows = static_cast<std::int64_t>(layout.rows);
  const auto columns = static_cast<std::int64_t>(layout.columns);
  std::vector<C> numbers(layout.rows * layout.columns);
  for (std::int64_t column = 0; column < columns; ++column) {
    for (std::int64_t row = 0; row < rows; ++row) {
      C number = load<C>(data, layout.type, batch * layout.batch_stride + column * layout.leading_dimension + row);
      if constexpr (sizeof(C) == sizeof(float)) {
        if (is_tensor_float_32) number = rounded_to_tensor_float_32(number);
      }
      numbers[static_cast<std::size_t>(vectors_are_columns ? column * rows + row : row * columns + column)] = number;
    }
  }
  return numbers;
}

template <class C>
void compute(const Problem& problem, const Algorithm& algorithm, C alpha, C beta, const Addresses& at) {
  const bool is_tensor_float_32 = problem.operation.compute_type == CUBLAS_COMPUTE_32F_FAST_TF32;
  const auto rows = static_cast<std::int64_t>(problem.rows());
  const auto columns = static_cast<std::int64_t>(problem.columns());
  const auto depth = static_cast<std::int64_t>(problem.depth());
  for (std::int64_t batch = 0; batch < problem.d.batch_count; ++batch) {
    const std::vector<C> a =
        gathered<C>(at.a, problem.a, batch, is_transpose(problem.operation.transpose_a), is_tensor_float_32);
    const std::vector<C> b =
        gathered<C>(at.b, problem.b, batch, !is_transpose(problem.operation.transpose_b), is_tensor_float_32);
    C* const partial_sums = static_cast<C*>(at.workspace);
    for (std::int64_t column = 0; column < columns; ++column) {
      for (std::int64_t row = 0; row < rows; ++row) {
        const C* const left = a.data() + row * depth;
        const C* const right = b.data() + column * depth;
        C product = 0;
        for (int split = 0; split < algorithm.splits; ++split) {
          C sum = 0;
          const std::int64_t last = depth * (split + 1) / algorithm.splits;
          for (std::int64_t k = depth * split / algorithm.splits; k < last; ++k) sum += left[k] * right[k];
          if (algorithm.splits > 1) partial_sums[(split * columns + column) * rows + row] = sum;
          product += sum;
        }
        C result = alpha * product;
        if (beta != 0) {
          result += beta * load<C>(at.c, problem.c.type,
                                   batch * problem.c.batch_stride + column * problem.c.leading_dimension + row);
        }
        if (problem.adds_bias()) {
          result += load<C>(problem.operation.bias, problem.d.type, batch * problem.operation.bias_stride + row);
        }
        // NaN becomes zero, as in NVIDIA's library.
        if (problem.rectifies()) result = result > 0 ? result : C(0);
        store(at.d, problem.d.type, batch * problem.d.batch_stride + column * problem.d.leading_dimension + row,
              result);
      }
    }
  }
}

}  // namespace

// --- Interface -------------------------------------------------------------------------------------------------------

const char* cublasLtGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "unrecognized status";
}

const char* cublasLtGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "the function requires an architectural feature absent from the device";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "an access to GPU memory space failed";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the function failed to launch on the GPU";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "an internal operation failed";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the requested functionality is not supported";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "the license check failed";
  }
  return "unrecognized status";
}

std::size_t cublasLtGetVersion() { return CUBLAS_VERSION; }

cublasStatus_t cublasLtCreate(cublasLtHandle_t* lightHandle) {
  if (lightHandle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *lightHandle = new cublasLtContext{device};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t lightHandle) {
  if (lightHandle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete lightHandle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t operationDesc,
                                              cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
                                              cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
                                              cublasLtMatmulPreference_t preference, int requestedAlgoCount,
                                              cublasLtMatmulHeuristicResult_t heuristicResultsArray[],
                                              int* returnAlgoCount) {
  ++heuristics;
  if (lightHandle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (operationDesc == nullptr || Adesc == nullptr || Bdesc == nullptr || Cdesc == nullptr || Ddesc == nullptr ||
      preference == nullptr || requestedAlgoCount <= 0 || heuristicResultsArray == nullptr ||
      returnAlgoCount == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  *returnAlgoCount = 0;
  const Problem problem = {state_of<Operation>(operationDesc), state_of<Layout>(Adesc), state_of<Layout>(Bdesc),
                           state_of<Layout>(Cdesc), state_of<Layout>(Ddesc)};
  const auto preferred = state_of<Preference>(preference);
  if (preferred.mark != initialized) return CUBLAS_STATUS_INVALID_VALUE;
  const cublasStatus_t status = problem.check();
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const bool is_restricted =
      preferred.max_workspace > 0 || preferred.reduction_schemes != CUBLASLT_REDUCTION_SCHEME_MASK;
  if (query_status != CUBLAS_STATUS_SUCCESS && (is_restricted || refused_queries == RefusedQueries::all)) {
    return query_status;
  }

  Algorithm algorithm = {.problem = problem.fingerprint(),
                         .alignment_a = preferred.alignment_a,
                         .alignment_b = preferred.alignment_b,
                         .alignment_c = preferred.alignment_c,
                         .alignment_d = preferred.alignment_d,
                         .alignment_bias = alignment_of(problem.operation.bias)};
  // Long sums are split, as far as the workspace allows.
  constexpr std::uint64_t long_depth = 256;
  const std::uint64_t partial_sums = problem.rows() * problem.columns() * (problem.is_double() ? 8 : 4);
  if (problem.depth() >= long_depth && 2 * partial_sums <= preferred.max_workspace &&
      (preferred.reduction_schemes & CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE) != 0) {
    algorithm.splits = 2;
    algorithm.workspace = 2 * partial_sums;
  }
  *returnAlgoCount = recommend(algorithm, requestedAlgoCount, heuristicResultsArray);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t computeDesc, const void* alpha,
                              const void* A, cublasLtMatrixLayout_t Adesc, const void* B, cublasLtMatrixLayout_t Bdesc,
                              const void* beta, const void* C, cublasLtMatrixLayout_t Cdesc, void* D,
                              cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t* algo, void* workspace,
                              std::size_t workspaceSizeInBytes, cudaStream_t stream) {
  if (lightHandle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (computeDesc == nullptr || Adesc == nullptr || Bdesc == nullptr || Cdesc == nullptr || Ddesc == nullptr ||
      alpha == nullptr || beta == nullptr || A == nullptr || B == nullptr || D == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const Problem problem = {state_of<Operation>(computeDesc), state_of<Layout>(Adesc), state_of<Layout>(Bdesc),
                           state_of<Layout>(Cdesc), state_of<Layout>(Ddesc)};
  const cublasStatus_t status = problem.check();
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const auto factor = [&](const void* address) {
    return problem.is_double() ? *static_cast<const double*>(address)
                               : static_cast<double>(*static_cast<const float*>(address));
  };
  if (C == nullptr && factor(beta) != 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (problem.adds_bias() && problem.operation.bias == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (workspaceSizeInBytes > 0 && (workspace == nullptr || !is_aligned(workspace, 16))) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  Algorithm algorithm;
  if (algo != nullptr) {
    algorithm = state_of<Algorithm>(algo);
    if (algorithm.problem != problem.fingerprint() || workspaceSizeInBytes < algorithm.workspace ||
        !is_aligned(A, algorithm.alignment_a) || !is_aligned(B, algorithm.alignment_b) ||
        !is_aligned(C, algorithm.alignment_c) || !is_aligned(D, algorithm.alignment_d) ||
        !is_aligned(problem.operation.bias, algorithm.alignment_bias)) {
      ++refusals;
      return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (is_refused(problem, algorithm)) {
      ++refusals;
      return refusal;
    }
  }
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device != lightHandle->device ||
      device != rhyton::cuda_emulation::device_of(stream)) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  const std::size_t bias_bytes = problem.rows() * element_bytes(problem.d.type);
  if (!lies_in(device, A, bytes_of(problem.a)) || !lies_in(device, B, bytes_of(problem.b)) ||
      !lies_in(device, D, bytes_of(problem.d)) || !lies_in(device, workspace, workspaceSizeInBytes) ||
      !lies_in(device, problem.operation.bias, problem.adds_bias() ? bias_bytes : 0)) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  const Addresses at = {A, B, C, D, workspace};
  const cudaError_t error = rhyton::cuda_emulation::enqueue(
      stream, [problem, algorithm, at, scale = factor(alpha), scale_of_c = factor(beta)] {
        if (problem.is_double()) {
          compute<double>(problem, algorithm, scale, scale_of_c, at);
        } else {
          compute<float>(problem, algorithm, static_cast<float>(scale), static_cast<float>(scale_of_c), at);
        }
      });
  if (error != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  ++products;
  if (problem.adds_bias()) ++products_with_bias;
  return CUBLAS_STATUS_SUCCESS;
}

namespace rhyton::cuda_emulation {

WithoutBiasEpilogue::WithoutBiasEpilogue(cublasStatus_t status) { bias_status = status; }
WithoutBiasEpilogue::~WithoutBiasEpilogue() { bias_status = CUBLAS_STATUS_SUCCESS; }

RefusedAlgorithms::RefusedAlgorithms(int count, cublasStatus_t status, RefusedProducts products) {
  refusal = status;
  refused_products = products;
  refused_algorithms = count;
}
RefusedAlgorithms::~RefusedAlgorithms() { refused_algorithms = 0; }

RefusedHeuristics::RefusedHeuristics(RefusedQueries which, cublasStatus_t status) {
  refused_queries = which;
  query_status = status;
}
RefusedHeuristics::~RefusedHeuristics() { query_status = CUBLAS_STATUS_SUCCESS; }

CublasLtCounters cublas_lt_counters() {
  return {
      .heuristics = heuristics, .products = products, .products_with_bias = products_with_bias, .refusals = refusals};
}

}  // namespace rhyton::cuda_emulation
