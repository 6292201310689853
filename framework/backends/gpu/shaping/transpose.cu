#include <algorithm>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/words.h>
#include <rhyton/framework/backends/gpu/shaping/matrix_transpose.h>
#include <rhyton/framework/backends/gpu/shaping/shaping.h>
#include <rhyton/framework/backends/gpu/shaping/strided_copy.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::gpu {
namespace {

constexpr int tile = 32;
constexpr int tile_rows_at_once = 8;
/// Narrower matrices are transposed element by element: most of a tile would be empty.
constexpr std::int64_t narrowest = 8;

/// Matrices to transpose, y[column, row] = x[row, column], and the axes over which there are many of them.
template <class Index>
struct Matrices {
  Index rows = 1;
  Index columns = 1;
  Index x_step = 1;
  Index y_step = 1;
  Divisor<Index> tiles_down;
  Divisor<Index> tiles_across;
  int rank = 0;
  Divisor<Index> lengths[Shape::max_rank];
  Index x_strides[Shape::max_rank] = {};
  Index y_strides[Shape::max_rank] = {};
};

template <class Word, class Index>
__global__ void turn_tiles(const Word* x, Word* y, std::int64_t tiles, Matrices<Index> matrices) {
  // One column more than is needed, so that the threads of a warp read a column from different banks.
  __shared__ Word cells[tile][tile + 1];
  for (std::int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    Index rest = static_cast<Index>(number);
    Index next = matrices.tiles_across.quotient(rest);
    const Index left = (rest - next * matrices.tiles_across.value()) * tile;
    rest = next;
    next = matrices.tiles_down.quotient(rest);
    const Index top = (rest - next * matrices.tiles_down.value()) * tile;
    rest = next;
    Index x_offset = 0;
    Index y_offset = 0;
    for (int axis = matrices.rank - 1; axis >= 0; --axis) {
      next = matrices.lengths[axis].quotient(rest);
      const Index position = rest - next * matrices.lengths[axis].value();
      x_offset += position * matrices.x_strides[axis];
      y_offset += position * matrices.y_strides[axis];
      rest = next;
    }

    const auto lane = static_cast<Index>(threadIdx.x);
    // Independent loads.
    Word own[tile / tile_rows_at_once];
    for (int k = 0; k < tile / tile_rows_at_once; ++k) {
      const auto i = static_cast<Index>(threadIdx.y) + static_cast<Index>(k * tile_rows_at_once);
      const bool is_inside = top + i < matrices.rows && left + lane < matrices.columns;
      own[k] = is_inside ? x[x_offset + (top + i) * matrices.x_step + left + lane] : Word();
    }
    for (int k = 0; k < tile / tile_rows_at_once; ++k) {
      cells[threadIdx.y + static_cast<unsigned>(k * tile_rows_at_once)][threadIdx.x] = own[k];
    }
    __syncthreads();
    for (auto i = static_cast<Index>(threadIdx.y); i < tile; i += tile_rows_at_once) {
      if (left + i >= matrices.columns || top + lane >= matrices.rows) continue;
      y[y_offset + (left + i) * matrices.y_step + top + lane] = cells[lane][i];
    }
    __syncthreads();
  }
}

/// x is contiguous along axis `inner` of y, and y along its last one.
void turn_matrices(GpuStream& stream, const TensorView& x, const TensorView& y, const StridedAxes& axes,
                   std::size_t inner) {
  const StridedAxis& last = axes.back();
  const std::int64_t tiles_down = (last.length + tile - 1) / tile;
  const std::int64_t tiles_across = (axes[inner].length + tile - 1) / tile;
  const std::int64_t tiles = y.size() / (last.length * axes[inner].length) * tiles_down * tiles_across;
  with_word(size_of(y.spec.dtype), [&](auto word) {
    using Word = decltype(word);
    with_index_type(y.size() + tile * last.stride, [&](auto index) {
      using Index = decltype(index);
      Matrices<Index> matrices;
      matrices.rows = static_cast<Index>(last.length);
      matrices.columns = static_cast<Index>(axes[inner].length);
      matrices.x_step = static_cast<Index>(last.stride);
      matrices.tiles_down = Divisor<Index>(tiles_down);
      matrices.tiles_across = Divisor<Index>(tiles_across);
      Index y_stride = 1;
      for (std::size_t i = axes.size(); i-- > 0;) {
        if (i == inner) {
          matrices.y_step = y_stride;
        } else if (i + 1 < axes.size()) {
          matrices.lengths[matrices.rank] = Divisor<Index>(axes[i].length);
          matrices.x_strides[matrices.rank] = static_cast<Index>(axes[i].stride);
          matrices.y_strides[matrices.rank] = y_stride;
          ++matrices.rank;
        }
        y_stride *= static_cast<Index>(axes[i].length);
      }
      launch(stream, "Transpose", {one_block_each(tiles).grid, dim3(tile, tile_rows_at_once)}, &turn_tiles<Word, Index>,
             x.as<const Word>(), y.as<Word>(), tiles, matrices);
    });
  });
}

/// The axes of y with the strides of x along them.
StridedAxes axes_of(const KernelArguments& arguments) {
  const Shape& x = arguments.inputs[0].shape();
  const std::vector<std::int64_t> strides = contiguous_strides(x);
  StridedAxes axes;
  for (const int axis : arguments.attributes<TransposeOp>().axes) {
    axes.push_back({x[axis], strides[static_cast<std::size_t>(axis)]});
  }
  return joined(axes);
}

}  // namespace

void run_transposes(std::span<const KernelArguments> calls) {
  std::vector<MatrixToTranspose> matrices;
  for (const KernelArguments& call : calls) {
    if (call.outputs[0].size() == 0) continue;
    const StridedAxes axes = axes_of(call);
    const bool is_matrix = axes.size() == 2 && axes[0].stride == 1 && axes[1].stride == axes[0].length;
    if (is_matrix && std::min(axes[0].length, axes[1].length) >= narrowest) {
      matrices.push_back({call.inputs[0].data, call.outputs[0].data, axes[1].length, axes[0].length});
    } else {
      run_transpose(call);
    }
  }
  transpose_matrices(stream_of(calls[0]), size_of(calls[0].outputs[0].spec.dtype), matrices);
}

void run_transpose(const KernelArguments& arguments) {
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  const StridedAxes axes = axes_of(arguments);
  const auto inner = std::find_if(axes.begin(), axes.end(), [](const StridedAxis& axis) { return axis.stride == 1; });
  if (inner->length >= narrowest && axes.back().length >= narrowest && inner + 1 != axes.end()) {
    const auto position = static_cast<std::size_t>(inner - axes.begin());
    return turn_matrices(stream_of(arguments), x, y, axes, position);
  }
  copy_strided(stream_of(arguments), "Transpose", x.data, y.data, size_of(y.spec.dtype), axes);
}

}  // namespace rhyton::gpu
