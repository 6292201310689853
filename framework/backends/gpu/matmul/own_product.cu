#include <rhyton/framework/backends/gpu/matmul/own_product.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/runtime/warn_once.h>
#include <rhyton/framework/error.h>

namespace rhyton::gpu {
namespace {

/// A block computes a square of results, each of its threads one of them, and iterates over the depth in steps of the
/// length of its side.
constexpr int side = 16;

/// Neighbouring threads load neighbouring elements of a and b, transposed or not.
template <class T>
__global__ void multiply_tiles(MatrixProduct product, const T* a, const T* b, T* c) {
  __shared__ Computed<T> left[side][side + 1];
  __shared__ Computed<T> right[side][side + 1];
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const std::int64_t first_column = static_cast<std::int64_t>(blockIdx.x) * side;
  for (std::int64_t count = blockIdx.z; count < product.count; count += gridDim.z) {
    const T* const own_a = a + count * product.a_stride;
    const T* const own_b = b + count * product.b_stride;
    for (std::int64_t first_row = static_cast<std::int64_t>(blockIdx.y) * side; first_row < product.rows;
         first_row += static_cast<std::int64_t>(gridDim.y) * side) {
      Computed<T> sum = 0;
      for (std::int64_t first = 0; first < product.depth; first += side) {
        const std::int64_t row = first_row + (product.transpose_a ? x : y);
        const std::int64_t place_in_a = first + (product.transpose_a ? y : x);
        const bool is_in_a = row < product.rows && place_in_a < product.depth;
        const std::int64_t at_a =
            product.transpose_a ? place_in_a * product.rows + row : row * product.depth + place_in_a;
        left[product.transpose_a ? x : y][product.transpose_a ? y : x] = is_in_a ? number(own_a[at_a]) : Computed<T>(0);
        const std::int64_t column = first_column + (product.transpose_b ? y : x);
        const std::int64_t place_in_b = first + (product.transpose_b ? x : y);
        const bool is_in_b = column < product.columns && place_in_b < product.depth;
        const std::int64_t at_b =
            product.transpose_b ? column * product.depth + place_in_b : place_in_b * product.columns + column;
        right[product.transpose_b ? x : y][product.transpose_b ? y : x] =
            is_in_b ? number(own_b[at_b]) : Computed<T>(0);
        __syncthreads();
        for (int place = 0; place < side; ++place) sum += left[y][place] * right[place][x];
        __syncthreads();
      }
      if (first_row + y < product.rows && first_column + x < product.columns) {
        c[count * product.c_stride + (first_row + y) * product.columns + first_column + x] = element<T>(sum);
      }
    }
  }
}

template <class T>
void launch_product(GpuStream& stream, const MatrixProduct& product, const MatrixAddresses& addresses) {
  constexpr std::int64_t max_blocks = 65535;
  const auto sides_along = [](std::int64_t length) { return (length + side - 1) / side; };
  const LaunchShape shape{dim3(static_cast<unsigned>(sides_along(product.columns)),
                               static_cast<unsigned>(std::min(sides_along(product.rows), max_blocks)),
                               static_cast<unsigned>(std::min(product.count, max_blocks))),
                          dim3(side, side)};
  launch(stream, "matrix product", shape, &multiply_tiles<T>, product, static_cast<const T*>(addresses.a),
         static_cast<const T*>(addresses.b), static_cast<T*>(addresses.c));
}

void warn_of_product(const MatrixProduct& product) {
  const auto matrix = [](std::int64_t rows, std::int64_t columns, bool is_transposed) {
    return std::to_string(rows) + "x" + std::to_string(columns) + (is_transposed ? " (transposed)" : "");
  };
  const std::string text = std::to_string(product.count) + " products of " + std::string(name_of(product.dtype)) +
                           ", " + matrix(product.rows, product.depth, product.transpose_a) + " by " +
                           matrix(product.depth, product.columns, product.transpose_b);
  warn_once("cuBLASLt has no algorithm for " + text + ". A kernel that is many times slower computes them.");
}

}  // namespace

void own_product(GpuStream& stream, const MatrixProduct& product, const MatrixAddresses& addresses) {
  warn_of_product(product);
  switch (product.dtype) {
    case DType::float32:
      return launch_product<float>(stream, product, addresses);
    case DType::float64:
      return launch_product<double>(stream, product, addresses);
    case DType::float16:
      return launch_product<Half>(stream, product, addresses);
    case DType::bfloat16:
      return launch_product<BFloat16>(stream, product, addresses);
    default:
      throw InvalidArgumentError("Products of matrices take tensors of a floating dtype.");
  }
}

}  // namespace rhyton::gpu
