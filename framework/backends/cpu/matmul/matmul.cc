#include <rhyton/framework/ops/matmul.h>

#include <algorithm>
#include <array>

#include <rhyton/framework/backends/cpu/matmul/panel.h>
#include <rhyton/framework/backends/cpu/primitives/share.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/ops/op_cast.h>

namespace rhyton::cpu {
namespace {

// A strip of the panel of this depth stays in the L2 cache for all rows.
constexpr std::int64_t max_depth = 1024;
// Positions that are summed before the tile's results are written to memory.
constexpr std::int64_t max_positions = 256;

/// One product of two matrices. `a` is [rows, depth] (transposed: [depth, rows]), `b` [depth, columns] (transposed:
/// [columns, depth]).
template <class T>
struct Product {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  /// For a transposed `a`: the distance from one of its rows to the next.
  std::int64_t a_stride = 0;
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;
  bool transpose_a = false;
  bool transpose_b = false;
  /// All strips of `b`, made once, or null.
  const T* packed = nullptr;
  void* workspace = nullptr;
  TileResult<T> result;
  /// The part of the strips of columns that is computed.
  Share strip_share;
};

template <class T>
bool fits_in_place(std::int64_t columns, bool transpose_b) {
  return !transpose_b && columns % vector_length<T> == 0;
}

/// Whether tiles read the strips of an unpacked `b` where they are; else each is copied.
template <class T>
bool reads_in_place(std::int64_t rows, std::int64_t columns, bool transpose_a, bool transpose_b) {
  return fits_in_place<T>(columns, transpose_b) && !(transpose_a && is_worth_a_copy<T>(rows, columns));
}

template <class T>
std::size_t product_workspace(std::int64_t rows, std::int64_t columns, std::int64_t depth, bool transpose_a,
                              bool transpose_b) {
  WorkspaceCutter cutter(nullptr);
  const std::int64_t chunk = std::min(depth, transpose_a ? max_positions : max_depth);
  if (transpose_a) cutter.take<std::int64_t>(chunk);
  if (!reads_in_place<T>(rows, columns, transpose_a, transpose_b)) {
    const std::int64_t widest = static_cast<std::int64_t>(max_vectors) * vector_length<T>;
    cutter.take<T>(chunk * std::min(Strips<T>(columns).padded(), widest));
  }
  return cutter.used();
}

/// Rows [first_row, first_row + rows) of the strip of b's columns from `column` on.
template <class T>
PanelStrip<T> strip_of(const Product<T>& product, std::int64_t first_row, std::int64_t rows, std::int64_t column,
                       int columns, int vectors, T* buffer) {
  const std::int64_t width = static_cast<std::int64_t>(vectors) * vector_length<T>;
  if (product.packed != nullptr) return {product.packed + product.depth * column + first_row * width, width};
  if (reads_in_place<T>(product.rows, product.columns, product.transpose_a, product.transpose_b)) {
    return {product.b + first_row * product.columns + column, product.columns};
  }
  if (product.transpose_b) {
    fill_panel<T>(buffer, width, product.b + column * product.depth + first_row, rows, columns, 1, product.depth);
  } else {
    fill_panel<T>(buffer, width, product.b + first_row * product.columns + column, rows, columns, product.columns, 1);
  }
  return {buffer, width};
}

template <class T>
TileResult<T> chunk_result(const Product<T>& product, std::int64_t first, std::int64_t last, std::int64_t column,
                           int columns) {
  TileResult<T> result = product.result;
  result.columns = columns;
  result.accumulate = product.result.accumulate || first > 0;
  const bool is_last = last == product.depth;
  result.bias = is_last && result.bias != nullptr ? result.bias + column : nullptr;
  result.relu = is_last && result.relu;
  return result;
}

template <class T>
void multiply_rows(const Product<T>& product) {
  T* const buffer = static_cast<T*>(product.workspace);
  const Strips<T> strips(product.columns);
  const std::int64_t begin = product.strip_share.begin(strips.count);
  const std::int64_t end = product.strip_share.end(strips.count);
  const bool is_copied = product.packed == nullptr &&
                         !reads_in_place<T>(product.rows, product.columns, product.transpose_a, product.transpose_b);
  const int maximum = is_copied ? 1 : strips_together(product.rows);
  strips.for_each_group(begin, end, maximum, [&](std::int64_t column, int columns, int vectors, int together) {
    const std::int64_t width = static_cast<std::int64_t>(vectors) * vector_length<T>;
    const std::int64_t panel_distance = product.packed != nullptr ? product.depth * width : width;
    std::int64_t first = 0;
    do {
      const std::int64_t last = std::min(product.depth, first + max_depth);
      const PanelStrip<T> strip = strip_of(product, first, last - first, column, columns, vectors, buffer);
      RowTile<T> tile;
      tile.depth = last - first;
      tile.panel = strip.data;
      tile.panel_stride = strip.stride;
      tile.result = chunk_result(product, first, last, column, columns);
      for_each_tile(product.rows, max_rows(vectors), [&](std::int64_t first_row, int rows) {
        std::array<const T*, max_tile_rows> from;
        std::array<T*, max_tile_rows> to;
        for (int row = 0; row < rows; ++row) {
          from[static_cast<std::size_t>(row)] = product.a + (first_row + row) * product.depth + first;
          to[static_cast<std::size_t>(row)] = product.c + (first_row + row) * product.columns + column;
        }
        run_strips<T>(tile, together, panel_distance, rows, vectors, from.data(), to.data());
      });
      first = last;
    } while (first < product.depth);
  });
}

template <class T>
void multiply_transposed(const Product<T>& product) {
  WorkspaceCutter cutter(product.workspace);
  std::int64_t* const offsets = cutter.take<std::int64_t>(std::min(product.depth, max_positions));
  T* const buffer = cutter.take<T>(0);
  for (std::int64_t i = 0; i < std::min(product.depth, max_positions); ++i) offsets[i] = i * product.a_stride;
  std::int64_t first = 0;
  do {
    const std::int64_t last = std::min(product.depth, first + max_positions);
    Strips<T>(product.columns).for_each([&](std::int64_t column, int columns, int vectors) {
      const PanelStrip<T> strip = strip_of(product, first, last - first, column, columns, vectors, buffer);
      const PositionTile<T> tile = {.offsets = offsets,
                                    .positions = last - first,
                                    .panel = strip.data,
                                    .panel_stride = strip.stride,
                                    .result = chunk_result(product, first, last, column, columns)};
      for_each_tile(product.rows, max_rows(vectors), [&](std::int64_t first_row, int rows) {
        std::array<const T*, max_tile_rows> from;
        std::array<T*, max_tile_rows> to;
        for (int row = 0; row < rows; ++row) {
          from[static_cast<std::size_t>(row)] = product.a + first * product.a_stride + first_row + row;
          to[static_cast<std::size_t>(row)] = product.c + (first_row + row) * product.columns + column;
        }
        position_tile_function<T>(rows, vectors)(tile, from.data(), to.data());
      });
    });
    first = last;
  } while (first < product.depth);
}

template <class T>
void multiply(const Product<T>& product) {
  if (product.transpose_a) {
    multiply_transposed(product);
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
  return product_workspace<T>(matrices.rows, matrices.columns, matrices.depth, matrices.transpose_a,
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
Product<T> kernel_gradient_product(const Shape& a, const Shape& gradient) {
  Product<T> product;
  product.transpose_a = true;
  product.rows = a.at(-1);
  product.a_stride = product.rows;
  product.columns = gradient.at(-1);
  product.depth = a.slice(0, a.rank() - 1).size();
  return product;
}

template <class T>
std::size_t kernel_gradient_workspace(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  const Product<T> product = kernel_gradient_product<T>(inputs[0].shape, inputs[1].shape);
  return product_workspace<T>(product.rows, product.columns, product.depth, true, false);
}

// Rows of the result per task: a multiple of all tiles' heights.
constexpr std::int64_t rows_per_piece = 24;

std::int64_t kernel_gradient_pieces(const Op&, Kernel::Specs, Kernel::Specs outputs) {
  return std::max<std::int64_t>(1, outputs[0].shape[0] / rows_per_piece);
}

template <class T>
void run_kernel_gradient(const KernelArguments& arguments) {
  Product<T> product = kernel_gradient_product<T>(arguments.inputs[0].shape(), arguments.inputs[1].shape());
  const Share share{arguments.piece, arguments.pieces};
  const std::int64_t first = share.begin(product.rows);
  product.rows = share.end(product.rows) - first;
  product.a = arguments.inputs[0].as<T>() + first;
  product.b = arguments.inputs[1].as<T>();
  product.c = arguments.outputs[0].as<T>() + first * product.columns;
  product.workspace = arguments.workspace;
  product.result.accumulate = arguments.accumulate;
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
  table.add("MatMulKernelGradient", dtype_of<T>,
            {.run = &run_kernel_gradient<T>,
             .workspace_bytes = &kernel_gradient_workspace<T>,
             .pieces = &kernel_gradient_pieces});
}

}  // namespace

void register_matmul_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
}

}  // namespace rhyton::cpu
