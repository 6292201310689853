#include <rhyton/framework/ops/matmul.h>

#include <algorithm>
#include <array>

#include <rhyton/framework/backends/cpu/matmul/kernels.h>
#include <rhyton/framework/backends/cpu/matmul/row_product.h>
#include <rhyton/framework/backends/cpu/matmul/transposed_product.h>
#include <rhyton/framework/ops/op_cast.h>

namespace rhyton::cpu {
namespace {

template <class T>
void multiply(const Product<T>& product) {
  if (product.transpose_a) {
    TransposedProduct<T>(product).compute();
  } else {
    multiply_rows(product);
  }
}

/// The shapes of MatMul and FusedMatMul as matrices.
struct Matrices {
  bool transpose_a = false;
  bool transpose_b = false;
  /// `a` is one tall matrix.
  bool is_tall = false;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;

  Matrices(const Shape& a, const Shape& b, bool transpose_a, bool transpose_b)
      : transpose_a(transpose_a),
        transpose_b(transpose_b),
        is_tall(b.rank() == 2 && !transpose_a),
        rows(transpose_a ? a.at(-1) : a.at(-2)),
        columns(transpose_b ? b.at(-2) : b.at(-1)),
        depth(transpose_a ? a.at(-2) : a.at(-1)) {
    if (is_tall) rows = a.slice(0, a.rank() - 1).size();
  }

  /// Whether packing `b` as a panel once per run is worth it.
  template <class T>
  bool is_packed() const {
    if (!is_tall) return false;
    if (!fits_in_place<T>(columns, transpose_b)) return true;
    // Long rows of a large matrix are so far apart that they evict each other from the caches.
    return rows >= 64 && columns * static_cast<std::int64_t>(sizeof(T)) >= 1024;
  }
};

bool transposes_a(const Op& op) {
  const auto* matmul = op_cast<MatMulOp>(op);
  return matmul != nullptr && matmul->transpose_a();
}

bool transposes_b(const Op& op) {
  if (const auto* matmul = op_cast<MatMulOp>(op)) return matmul->transpose_b();
  return static_cast<const FusedMatMulOp&>(op).transpose_b();
}

Matrices matrices_of(const Op& op, const Shape& a, const Shape& b) {
  return Matrices(a, b, transposes_a(op), transposes_b(op));
}

template <class T>
std::size_t matmul_packed_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const Matrices matrices = matrices_of(op, inputs[0].shape, inputs[1].shape);
  if (!matrices.is_packed<T>()) return 0;
  return static_cast<std::size_t>(Strips<T>(matrices.columns).padded() * matrices.depth) * sizeof(T);
}

template <class T>
void pack_matmul(const KernelArguments& arguments) {
  const Matrices matrices = matrices_of(*arguments.op, arguments.inputs[0].shape(), arguments.inputs[1].shape());
  const T* b = arguments.inputs[1].as<T>();
  T* to = static_cast<T*>(arguments.workspace);
  const std::int64_t row_stride = matrices.transpose_b ? 1 : matrices.columns;
  const std::int64_t column_stride = matrices.transpose_b ? matrices.depth : 1;
  Strips<T>(matrices.columns).for_each([&](std::int64_t column, int columns, int vectors) {
    fill_panel<T>(to + matrices.depth * column, static_cast<std::int64_t>(vectors) * vector_length<T>,
                  b + column * column_stride, matrices.depth, columns, row_stride, column_stride);
  });
}

template <class T>
std::size_t matmul_workspace(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const Matrices matrices = matrices_of(op, inputs[0].shape, inputs[1].shape);
  if (!matrices.transpose_a) return row_product_workspace<T>(matrices.columns, matrices.depth, matrices.transpose_b);
  return TransposedProduct<T>::workspace_bytes(matrices.rows, matrices.columns, matrices.depth, matrices.rows,
                                               matrices.transpose_b);
}

// With more rows, pieces consist of rows: each then reads all of `b` and has few tiles that are not full. So they do
// where there are more tiles of rows than strips of columns.
constexpr std::int64_t rows_per_column_piece = 64;

template <class T>
std::int64_t matmul_pieces(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const Matrices matrices = matrices_of(op, inputs[0].shape, inputs[1].shape);
  if (!matrices.is_tall || matrices.rows >= rows_per_column_piece) return 0;
  const std::int64_t strips = Strips<T>(matrices.columns).count;
  const std::int64_t tiles = (matrices.rows + max_rows(max_vectors) - 1) / max_rows(max_vectors);
  return strips >= tiles ? strips : 0;
}

/// The samples whose rows fill so many tiles.
template <class T>
std::int64_t samples_of_tiles(std::int64_t tiles, const Op& op, Kernel::Specs inputs) {
  const Matrices matrices = matrices_of(op, inputs[0].shape, inputs[1].shape);
  if (!matrices.is_tall || inputs[0].shape[0] == 0) return 1;
  // At least one, also of a product without columns.
  const std::int64_t vectors =
      std::clamp<std::int64_t>((matrices.columns + vector_length<T> - 1) / vector_length<T>, 1, max_vectors);
  const std::int64_t rows = tiles * max_rows(static_cast<int>(vectors));
  const std::int64_t rows_per_sample = std::max<std::int64_t>(1, matrices.rows / inputs[0].shape[0]);
  return std::max<std::int64_t>(1, rows / rows_per_sample);
}

template <class T>
std::int64_t matmul_least_samples(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  return samples_of_tiles<T>(1, op, inputs);
}

template <class T>
std::int64_t matmul_least_chunk(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  constexpr std::int64_t worth_reading_the_weights = 4;
  return samples_of_tiles<T>(worth_reading_the_weights, op, inputs);
}

/// The strides between the matrices of a tensor that is broadcast to `batch`, per axis of `batch`; 0 where it is
/// repeated.
std::array<std::int64_t, Shape::max_rank> batch_strides(const Shape& shape, const Shape& batch) {
  std::array<std::int64_t, Shape::max_rank> strides{};
  std::int64_t stride = shape.at(-1) * shape.at(-2);
  for (int axis = shape.rank() - 3; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis + batch.rank() - (shape.rank() - 2))] = shape[axis] == 1 ? 0 : stride;
    stride *= shape[axis];
  }
  return strides;
}

template <class T>
void multiply_batch(Product<T> product, const Shape& a, const Shape& b, const Shape& c) {
  const Shape batch = c.slice(0, c.rank() - 2);
  const auto strides_a = batch_strides(a, batch);
  const auto strides_b = batch_strides(b, batch);
  const T* const first_a = product.a;
  const T* const first_b = product.b;
  const std::int64_t count = batch.size();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    product.a = first_a;
    product.b = first_b;
    for (int axis = batch.rank() - 1; axis >= 0; --axis) {
      const std::int64_t at = rest % batch[axis];
      rest /= batch[axis];
      product.a += at * strides_a[static_cast<std::size_t>(axis)];
      product.b += at * strides_b[static_cast<std::size_t>(axis)];
    }
    multiply(product);
    product.c += product.rows * product.columns;
  }
}

template <class T>
void run_matmul(const KernelArguments& arguments) {
  const Shape& a = arguments.inputs[0].shape();
  const Shape& b = arguments.inputs[1].shape();
  const Matrices matrices = matrices_of(*arguments.op, a, b);
  Product<T> product;
  product.rows = matrices.rows;
  product.columns = matrices.columns;
  product.depth = matrices.depth;
  product.a_stride = matrices.rows;
  product.a = arguments.inputs[0].as<T>();
  product.b = arguments.inputs[1].as<T>();
  product.c = arguments.outputs[0].as<T>();
  product.transpose_a = matrices.transpose_a;
  product.transpose_b = matrices.transpose_b;
  product.workspace = arguments.workspace;
  product.result.accumulate = arguments.accumulate;
  if (!matrices.is_tall) {
    multiply_batch(product, a, b, arguments.outputs[0].shape());
    return;
  }
  product.packed = static_cast<const T*>(arguments.packed);
  product.strip_share = {arguments.piece, arguments.pieces};
  if (const auto* fused = op_cast<FusedMatMulOp>(*arguments.op)) {
    product.result.relu = fused->activation() == Epilogue::relu;
    if (arguments.inputs.size() > 2) product.result.bias = arguments.inputs[2].as<T>();
  }
  multiply(product);
}

template <class T>
void register_for(KernelTable& table) {
  const Kernel product = {.run = &run_matmul<T>,
                          .workspace_bytes = &matmul_workspace<T>,
                          .packed_bytes = &matmul_packed_bytes<T>,
                          .pack = &pack_matmul<T>,
                          .pieces = &matmul_pieces<T>,
                          .least_samples = &matmul_least_samples<T>,
                          .least_chunk = &matmul_least_chunk<T>};
  table.add("MatMul", dtype_of<T>, product);
  table.add("FusedMatMul", dtype_of<T>, product);
}

}  // namespace

void register_matmul_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
  register_kernel_gradient_kernels(table);
}

}  // namespace rhyton::cpu
