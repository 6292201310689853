#include <rhyton/framework/ops/matmul.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <rhyton/framework/backends/gpu/cublas/matrix_product.h>
#include <rhyton/framework/backends/gpu/matmul/batch.h>
#include <rhyton/framework/backends/gpu/matmul/own_product.h>
#include <rhyton/framework/backends/gpu/matmul/rectified.h>
#include <rhyton/framework/backends/gpu/matmul/small_product.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/primitives/packs.h>
#include <rhyton/framework/backends/gpu/registration.h>

namespace rhyton::gpu {
namespace {

/// c = activation(c + bias) for rows of `packs` packs. The grid's x axis is along a row, its y axis over rows.
template <class T, int width>
__global__ void finish_product(T* c, const T* bias, bool is_rectified, std::int64_t rows, std::int64_t packs) {
  const std::int64_t pack = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pack >= packs) return;
  Computed<T> addends[width] = {};
  if (bias != nullptr) {
    const auto loaded = reinterpret_cast<const Pack<T, width>*>(bias)[pack];
    for (int i = 0; i < width; ++i) addends[i] = number(loaded.values[i]);
  }
  const std::int64_t step = static_cast<std::int64_t>(gridDim.y) * blockDim.y;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y; row < rows; row += step) {
    Pack<T, width>& at = reinterpret_cast<Pack<T, width>*>(c)[row * packs + pack];
    Pack<T, width> values = at;
    for (int i = 0; i < width; ++i) {
      const Computed<T> sum = number(values.values[i]) + addends[i];
      values.values[i] = element<T>(is_rectified ? rectified(sum) : sum);
    }
    at = values;
  }
}

template <class T, int width>
void launch_finish(GpuStream& stream, T* c, const T* bias, bool is_rectified, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t threads = 256;
  constexpr std::int64_t max_blocks = 16 * 132;
  const std::int64_t packs = columns / width;
  std::int64_t threads_along_row = 1;
  while (threads_along_row < packs && threads_along_row < threads) threads_along_row *= 2;
  const std::int64_t rows_at_once = threads / threads_along_row;
  const std::int64_t blocks_along_row = (packs + threads_along_row - 1) / threads_along_row;
  const std::int64_t blocks_over_rows = std::clamp<std::int64_t>(
      (rows + rows_at_once - 1) / rows_at_once, 1, std::max<std::int64_t>(1, max_blocks / blocks_along_row));
  const LaunchShape shape = {dim3(static_cast<unsigned>(blocks_along_row), static_cast<unsigned>(blocks_over_rows)),
                             dim3(static_cast<unsigned>(threads_along_row), static_cast<unsigned>(rows_at_once))};
  launch(stream, "FusedMatMul", shape, &finish_product<T, width>, c, bias, is_rectified, rows, packs);
}

/// The operations on each row of a product before it is written.
template <class T>
struct Finish {
  const T* bias = nullptr;
  bool is_rectified = false;

  bool is_needed() const { return bias != nullptr || is_rectified; }

  void run(GpuStream& stream, T* c, std::int64_t rows, std::int64_t columns) const {
    constexpr int width = 16 / sizeof(T);
    if (columns % width == 0 && is_aligned(c, 16) && is_aligned(bias, 16)) {
      launch_finish<T, width>(stream, c, bias, is_rectified, rows, columns);
    } else {
      launch_finish<T, 1>(stream, c, bias, is_rectified, rows, columns);
    }
  }
};

template <class T>
void run_products(const KernelArguments& arguments, const MatMulBatch& batch, const Finish<T>& finish) {
  GpuStream& stream = stream_of(arguments);
  const T* const a = arguments.inputs[0].as<const T>();
  const T* const b = arguments.inputs[1].as<const T>();
  T* const c = arguments.outputs[0].as<T>();
  if (batch.is_empty()) return;
  const MatrixProduct& product = batch.product;
  if (product.depth == 0) {
    // An empty sum.
    stream.fill(c, 0, arguments.outputs[0].spec.bytes());
    if (finish.is_needed()) finish.run(stream, c, product.rows, product.columns);
    return;
  }
  if (is_small(product)) {
    batch.for_each_call(
        [&](const MatrixProduct& part, std::int64_t a_offset, std::int64_t b_offset, std::int64_t c_offset) {
          small_product(stream, part, {.a = a + a_offset, .b = b + b_offset, .bias = finish.bias, .c = c + c_offset},
                        finish.is_rectified);
        });
    return;
  }
  const std::span<std::byte> workspace(static_cast<std::byte*>(arguments.workspace), workspace_bytes_of(product));
  batch.for_each_call(
      [&](const MatrixProduct& part, std::int64_t a_offset, std::int64_t b_offset, std::int64_t c_offset) {
        MatrixAddresses addresses = {.a = a + a_offset, .b = b + b_offset, .bias = nullptr, .c = c + c_offset};
        // The library's own ReLU converts NaN to 0, so our kernel applies ReLU, and the bias with it. It also adds a
        // bias at an odd address, whose alignment cannot be passed to the library.
        if (finish.bias != nullptr && !finish.is_rectified && is_aligned(finish.bias, 16)) {
          addresses.bias = finish.bias;
          if (multiply(stream, part, addresses, workspace)) return;
          addresses.bias = nullptr;
        }
        if (!multiply(stream, part, addresses, workspace)) own_product(stream, part, addresses);
        if (finish.is_needed()) finish.run(stream, c + c_offset, part.rows, part.columns);
      });
}

bool transposes_a(const Op& op) {
  const auto* matmul = dynamic_cast<const MatMulOp*>(&op);
  return matmul != nullptr && matmul->transpose_a();
}

bool transposes_b(const Op& op) {
  if (const auto* matmul = dynamic_cast<const MatMulOp*>(&op)) return matmul->transpose_b();
  return dynamic_cast<const FusedMatMulOp&>(op).transpose_b();
}

MatMulBatch matmul_batch(const Op& op, const TensorSpec& a, const TensorSpec& b, const TensorSpec& c) {
  return MatMulBatch(a.dtype, a.shape, b.shape, c.shape, transposes_a(op), transposes_b(op));
}

/// Only the library needs scratch memory.
std::size_t workspace_of(const MatMulBatch& batch) {
  return is_small(batch.product) ? 0 : workspace_bytes_of(batch.product);
}

std::size_t matmul_workspace(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  return workspace_of(matmul_batch(op, inputs[0], inputs[1], outputs[0]));
}

template <class T>
void run_matmul(const KernelArguments& arguments) {
  run_products<T>(
      arguments,
      matmul_batch(*arguments.op, arguments.inputs[0].spec, arguments.inputs[1].spec, arguments.outputs[0].spec), {});
}

template <class T>
void run_fused_matmul(const KernelArguments& arguments) {
  run_products<T>(
      arguments,
      matmul_batch(*arguments.op, arguments.inputs[0].spec, arguments.inputs[1].spec, arguments.outputs[0].spec),
      {.bias = arguments.inputs.size() > 2 ? arguments.inputs[2].as<const T>() : nullptr,
       .is_rectified = arguments.attributes<FusedMatMulOp>().activation() == Epilogue::relu});
}

/// a^T gradient, with all leading axes as one.
MatMulBatch kernel_gradient_product(const TensorSpec& a, const TensorSpec& gradient) {
  const auto as_matrix = [](const Shape& shape) {
    return Shape{shape.slice(0, shape.rank() - 1).size(), shape.at(-1)};
  };
  return MatMulBatch(a.dtype, as_matrix(a.shape), as_matrix(gradient.shape),
                     Shape{a.shape.at(-1), gradient.shape.at(-1)}, true, false);
}

std::size_t kernel_gradient_workspace(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return workspace_of(kernel_gradient_product(inputs[0], inputs[1]));
}

template <class T>
void run_kernel_gradient(const KernelArguments& arguments) {
  run_products<T>(arguments, kernel_gradient_product(arguments.inputs[0].spec, arguments.inputs[1].spec), {});
}

template <class T>
void register_for(KernelTable& table) {
  table.add("MatMul", dtype_of<T>, {.run = &run_matmul<T>, .workspace_bytes = &matmul_workspace});
  table.add("FusedMatMul", dtype_of<T>, {.run = &run_fused_matmul<T>, .workspace_bytes = &matmul_workspace});
  table.add("MatMulKernelGradient", dtype_of<T>,
            {.run = &run_kernel_gradient<T>, .workspace_bytes = &kernel_gradient_workspace});
}

}  // namespace

void register_matmul_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
  register_for<Half>(table);
  register_for<BFloat16>(table);
}

}  // namespace rhyton::gpu
