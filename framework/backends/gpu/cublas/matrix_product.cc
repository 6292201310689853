#include <rhyton/framework/backends/gpu/cublas/matrix_product.h>

#include <cublasLt.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <rhyton/framework/backends/gpu/cublas/matrix_product_key.h>
#include <rhyton/framework/backends/gpu/runtime/bounded_cache.h>
#include <rhyton/framework/backends/gpu/runtime/check.h>
#include <rhyton/framework/backends/gpu/runtime/precision.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {
namespace {

// Row-major matrices are the transposes of the library's column-major ones, so it computes c^T = b^T a^T: its first
// operand is our `b`, its second our `a`, and its rows are our columns.

cudaDataType_t cuda_type(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return CUDA_R_64F;
    case DType::float16:
      return CUDA_R_16F;
    case DType::bfloat16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

cudaDataType_t scale_type(DType dtype) { return dtype == DType::float64 ? CUDA_R_64F : CUDA_R_32F; }

cublasComputeType_t compute_type(const MatMulKey& key) {
  if (key.product.dtype == DType::float64) return CUBLAS_COMPUTE_64F;
  return key.tensor_float_32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

/// The scale factors 0 and 1 in the type in which the library reads them.
struct Scale {
  float single;
  double twice;

  const void* address(DType dtype) const {
    return dtype == DType::float64 ? static_cast<const void*>(&twice) : static_cast<const void*>(&single);
  }
};
constexpr Scale zero_scale = {0, 0};
constexpr Scale one_scale = {1, 1};

// Descriptors are on the stack: a repeated product allocates nothing.

class MatrixLayout {
 public:
  /// For one operand: [rows, columns], in memory as it is or transposed.
  MatrixLayout(const MatrixProduct& product, std::int64_t rows, std::int64_t columns, bool is_transposed,
               std::int64_t stride) {
    if (is_transposed) std::swap(rows, columns);
    check(cublasLtMatrixLayoutInit(&layout_, cuda_type(product.dtype), static_cast<std::uint64_t>(columns),
                                   static_cast<std::uint64_t>(rows), columns),
          "cublasLtMatrixLayoutInit");
    if (product.count == 1) return;
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(product.count));
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  }

  cublasLtMatrixLayout_t get() { return &layout_; }

 private:
  template <class T>
  void set(cublasLtMatrixLayoutAttribute_t attribute, const T& value) {
    check(cublasLtMatrixLayoutSetAttribute(&layout_, attribute, &value, sizeof(value)),
          "cublasLtMatrixLayoutSetAttribute");
  }

  cublasLtMatrixLayoutOpaque_t layout_{};
};

class Operation {
 public:
  Operation(const MatMulKey& key, const void* bias) {
    const MatrixProduct& product = key.product;
    check(cublasLtMatmulDescInit(&operation_, compute_type(key), scale_type(product.dtype)), "cublasLtMatmulDescInit");
    if (product.transpose_b) set(CUBLASLT_MATMUL_DESC_TRANSA, static_cast<std::int32_t>(CUBLAS_OP_T));
    if (product.transpose_a) set(CUBLASLT_MATMUL_DESC_TRANSB, static_cast<std::int32_t>(CUBLAS_OP_T));
    if (!key.adds_bias) return;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<std::uint32_t>(CUBLASLT_EPILOGUE_BIAS));
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  }

  cublasLtMatmulDesc_t get() { return &operation_; }

 private:
  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    check(cublasLtMatmulDescSetAttribute(&operation_, attribute, &value, sizeof(value)),
          "cublasLtMatmulDescSetAttribute");
  }

  cublasLtMatmulDescOpaque_t operation_{};
};

/// The algorithms that a query asks for: the best ones, or any that need no workspace.
enum class Wanted { best, any };

class Preference {
 public:
  Preference(const MatMulKey& key, Wanted wanted) {
    check(cublasLtMatmulPreferenceInit(&preference_), "cublasLtMatmulPreferenceInit");
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
        static_cast<std::uint64_t>(wanted == Wanted::best ? key.workspace_bytes : 0));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, key.alignments.b);
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, key.alignments.a);
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, key.alignments.c);
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, key.alignments.c);
    if (wanted == Wanted::best && is_half(key.product.dtype)) {
      // The other schemes add up partial sums in the type of the result, which is not accurate enough here.
      set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
          static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    }
  }

  cublasLtMatmulPreference_t get() { return &preference_; }

 private:
  template <class T>
  void set(cublasLtMatmulPreferenceAttributes_t attribute, const T& value) {
    check(cublasLtMatmulPreferenceSetAttribute(&preference_, attribute, &value, sizeof(value)),
          "cublasLtMatmulPreferenceSetAttribute");
  }

  cublasLtMatmulPreferenceOpaque_t preference_{};
};

bool is_refusal(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE;
}

/// The library's description of a product.
class Description {
 public:
  Description(const MatMulKey& key, const void* bias)
      : operation_(key, bias),
        first_(key.product, key.product.depth, key.product.columns, key.product.transpose_b, key.product.b_stride),
        second_(key.product, key.product.rows, key.product.depth, key.product.transpose_a, key.product.a_stride),
        result_(key.product, key.product.rows, key.product.columns, false, key.product.c_stride) {}

  /// The library's recommended algorithms, the fastest first; empty if there is none.
  std::vector<cublasLtMatmulAlgo_t> find_algorithms(cublasLtHandle_t handle, const MatMulKey& key, Wanted wanted) {
    constexpr int maximum = 8;
    Preference preference(key, wanted);
    cublasLtMatmulHeuristicResult_t results[maximum] = {};
    int count = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(handle, operation_.get(), first_.get(), second_.get(), result_.get(),
                                       result_.get(), preference.get(), maximum, results, &count);
    if (is_refusal(status) || status == CUBLAS_STATUS_INTERNAL_ERROR) return {};
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    std::vector<cublasLtMatmulAlgo_t> algorithms;
    for (int i = 0; i < count; ++i) {
      if (results[i].state == CUBLAS_STATUS_SUCCESS) algorithms.push_back(results[i].algo);
    }
    return algorithms;
  }

  cublasStatus_t run(GpuStream& stream, DType dtype, const MatrixAddresses& addresses,
                     const cublasLtMatmulAlgo_t& algorithm, std::span<std::byte> workspace) {
    return cublasLtMatmul(stream.blas(), operation_.get(), one_scale.address(dtype), addresses.b, first_.get(),
                          addresses.a, second_.get(), zero_scale.address(dtype), addresses.c, result_.get(),
                          addresses.c, result_.get(), &algorithm, workspace.data(), workspace.size(), stream.handle());
  }

 private:
  Operation operation_;
  MatrixLayout first_;
  MatrixLayout second_;
  MatrixLayout result_;
};

/// The algorithms for one kind of product. The library refuses some that it has recommended itself; refusals are shared
/// by all threads.
struct Algorithms {
  std::vector<cublasLtMatmulAlgo_t> recommended;
  /// The number of algorithms, from the first on, that are known to be refused.
  std::atomic<std::size_t> refused{0};
};

std::shared_ptr<Algorithms> algorithms_for(GpuStream& stream, const MatMulKey& key, Description& description) {
  static BoundedCache<MatMulKey, std::shared_ptr<Algorithms>, MatMulKeyHash> cache(4096);
  return cache.get(key, [&] {
    auto algorithms = std::make_shared<Algorithms>();
    algorithms->recommended = description.find_algorithms(stream.blas(), key, Wanted::best);
    // A bias can be added by another kernel.
    if (algorithms->recommended.empty() && !key.adds_bias) {
      algorithms->recommended = description.find_algorithms(stream.blas(), key, Wanted::any);
    }
    return algorithms;
  });
}

/// Returns the last refusal if all algorithms are refused.
cublasStatus_t run_first_accepted(GpuStream& stream, const MatMulKey& key, Description& description,
                                  const MatrixAddresses& addresses, Algorithms& algorithms,
                                  std::span<std::byte> workspace) {
  const std::size_t count = algorithms.recommended.size();
  const std::size_t known = algorithms.refused;
  std::size_t refused = known;
  cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED;
  for (; refused < count; ++refused) {
    status = description.run(stream, key.product.dtype, addresses, algorithms.recommended[refused], workspace);
    if (!is_refusal(status)) break;
  }
  if (refused != known) algorithms.refused = refused;
  return status;
}

}  // namespace

std::size_t workspace_bytes_of(const MatrixProduct& product) {
  // NVIDIA's recommendation for Hopper, and for all earlier GPUs.
  constexpr std::size_t large = 32U << 20U;
  constexpr std::size_t small = 4U << 20U;
  constexpr double multiplications_of_large_products = 1 << 26;
  const double multiplications = static_cast<double>(product.rows) * static_cast<double>(product.columns) *
                                 static_cast<double>(product.depth) * static_cast<double>(product.count);
  if (multiplications == 0) return 0;
  return multiplications < multiplications_of_large_products ? small : large;
}

bool multiply(GpuStream& stream, const MatrixProduct& product, const MatrixAddresses& addresses,
              std::span<std::byte> workspace) {
  const MatMulKey key = {.device = stream.ordinal(),
                         .product = product,
                         .adds_bias = addresses.bias != nullptr,
                         .tensor_float_32 = product.dtype == DType::float32 && tensor_float_32_allowed(),
                         .alignments = MatrixAlignments(addresses),
                         .workspace_bytes = workspace.size()};
  Description description(key, addresses.bias);
  const std::shared_ptr<Algorithms> algorithms = algorithms_for(stream, key, description);
  const cublasStatus_t status = run_first_accepted(stream, key, description, addresses, *algorithms, workspace);
  if (is_refusal(status)) return false;
  check(status, "cublasLtMatmul");
  stream.after_launch("cublasLtMatmul");
  return true;
}

}  // namespace rhyton::gpu
