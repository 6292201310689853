#include <rhyton/framework/backends/gpu/conv/pooled_kernel_gradient.h>

#include <algorithm>

#include <rhyton/framework/backends/gpu/conv/direct.h>
#include <rhyton/framework/backends/gpu/conv/dtype.h>
#include <rhyton/framework/backends/gpu/conv/geometry.h>
#include <rhyton/framework/backends/gpu/pooling/shape.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/ops/conv_max_pool.h>

namespace rhyton::gpu {
namespace {

constexpr int warp_lanes = 32;
/// Weights per filter, or taps, that a thread sums up.
constexpr int own_weights = 9;
/// Blocks that keep a large GPU busy. More would only write more partial sums.
constexpr std::int64_t busy_blocks = 132;

/// The pixel of the convolution's output that a window of the pooling has selected.
template <class Index>
struct SelectedPixel {
  Index image, row, column;

  __device__ SelectedPixel(const PoolShape<Index>& pool, const ConvPixel<Index>& window, int position)
      : image(window.image),
        row(static_cast<Index>(pool.rows.begin(static_cast<int>(window.row)) + position / pool.columns.window)),
        column(
            static_cast<Index>(pool.columns.begin(static_cast<int>(window.column)) + position % pool.columns.window)) {}

  /// Guards against an index that no pooling has computed.
  __device__ bool is_inside(const ConvGeometry<Index>& conv) const {
    return row >= 0 && row < conv.output_rows && column >= 0 && column < conv.output_columns;
  }
};

/// The arguments of both kernels. Each block sums over some windows, into partial sums of its own: those of all
/// weights, then those of the bias.
template <class T, class Index>
struct PooledGradient {
  ConvGeometry<Index> conv;
  PoolShape<Index> pool;
  const T* x;
  const T* dy;
  const std::uint8_t* index;
  int no_cell;
  Index windows_per_split;
  Computed<T>* partial;

  __device__ Index first() const { return static_cast<Index>(blockIdx.x) * windows_per_split; }
  __device__ Index last() const {
    return min(conv.images * pool.rows.output * pool.columns.output, first() + windows_per_split);
  }
  __device__ ConvPixel<Index> window(Index number) const {
    return ConvPixel<Index>(number, pool.rows.output, pool.columns.output);
  }
  __device__ Computed<T>* sums() const {
    return partial + static_cast<std::int64_t>(blockIdx.x) * (conv.depth + 1) * conv.filters;
  }
};

constexpr int filter_threads = 512;
constexpr int windows_at_once = 4;

/// Threads along the filters and, in rows of the block, over the windows in turn; the rows are added up at the end in
/// fixed order. blockIdx.y: a chunk of the weights, and a block of filters.
template <class T, class Index>
__global__ void __launch_bounds__(filter_threads) sums_of_filters(PooledGradient<T, Index> task, Index filter_blocks) {
  __shared__ Computed<T> sums[filter_threads * (own_weights + 1)];
  const ConvGeometry<Index>& conv = task.conv;
  const auto lanes = static_cast<Index>(blockDim.x);
  const Index first_place = static_cast<Index>(blockIdx.y) / filter_blocks * own_weights;
  const Index first_filter = static_cast<Index>(blockIdx.y) % filter_blocks * lanes;
  const Index filter = first_filter + static_cast<Index>(threadIdx.x);

  Computed<T> own[own_weights + 1] = {};
  if (filter < conv.filters) {
    const Index first_channel = filter / conv.group_filters * conv.group_channels;
    Index rows[own_weights];
    Index columns[own_weights];
    Index channels[own_weights];
    for (int i = 0; i < own_weights; ++i) {
      const ConvWeight<Index> weight(min(first_place + i, conv.depth - 1), conv.kernel_columns, conv.group_channels);
      rows[i] = weight.row;
      columns[i] = weight.column;
      channels[i] = first_channel + weight.channel;
    }
    const Index last = task.last();
    const auto step = static_cast<Index>(blockDim.y);
    for (Index first = task.first() + static_cast<Index>(threadIdx.y); first < last; first += windows_at_once * step) {
      // All are on their way before the first is waited for.
      int positions[windows_at_once];
      Computed<T> gradients[windows_at_once];
      for (int k = 0; k < windows_at_once; ++k) {
        const Index w = first + k * step;
        positions[k] = w < last ? task.index[w * conv.filters + filter] : task.no_cell;
        gradients[k] = w < last ? number(task.dy[w * conv.filters + filter]) : Computed<T>(0);
      }
      for (int k = 0; k < windows_at_once; ++k) {
        if (positions[k] >= task.no_cell) continue;
        const SelectedPixel<Index> pixel(task.pool, task.window(first + k * step), positions[k]);
        if (!pixel.is_inside(conv)) continue;
        own[own_weights] += gradients[k];
        for (int i = 0; i < own_weights; ++i) {
          const Index input = covered_input(conv, pixel.image, pixel.row, pixel.column, rows[i], columns[i]);
          if (input >= 0) own[i] += gradients[k] * number(task.x[input * conv.channels + channels[i]]);
        }
      }
    }
  }

  const int line = static_cast<int>(lanes);
  for (int i = 0; i <= own_weights; ++i) {
    sums[(static_cast<int>(threadIdx.y) * (own_weights + 1) + i) * line + static_cast<int>(threadIdx.x)] = own[i];
  }
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  for (int result = thread; result < (own_weights + 1) * line; result += filter_threads) {
    const bool is_bias = result / line == own_weights;
    const Index place = is_bias ? conv.depth : first_place + result / line;
    const Index target = first_filter + result % line;
    if (target >= conv.filters || (is_bias ? first_place > 0 : place >= conv.depth)) continue;
    Computed<T> sum = 0;
    for (int row = 0; row < static_cast<int>(blockDim.y); ++row) sum += sums[row * (own_weights + 1) * line + result];
    task.sums()[place * conv.filters + target] = sum;
  }
}

constexpr int channel_warps = 16;
constexpr int own_filters = 2;
constexpr int filters_of_block = channel_warps * own_filters;
constexpr int tile_bytes = 44 << 10;

/// A window's gradient, and the pixel of the tile at the corner of what the convolution's window covers; -1 for none.
struct PlacedGradient {
  float value;
  int corner;
};

/// The pixels of an image that windows of the convolution cover, with the padding.
template <class Index>
struct CoveredTile {
  Index rows, columns;

  __host__ __device__ explicit CoveredTile(const ConvGeometry<Index>& conv)
      : rows((conv.output_rows - 1) * conv.row_stride + (conv.kernel_rows - 1) * conv.row_dilation + 1),
        columns((conv.output_columns - 1) * conv.column_stride + (conv.kernel_columns - 1) * conv.column_dilation + 1) {
  }
  __host__ __device__ Index pixels() const { return rows * columns; }
};

/// Lanes of a warp along the channels of the images, `own_filters` filters for each warp. Each image and its gradients
/// are first copied to the block's memory, where `own_weights` loads for each gradient are fast. The partial sums are
/// in the order filter, tap, channel. blockIdx.y: a block of filters, and a block of channels.
template <class T, class Index>
__global__ void __launch_bounds__(warp_lanes* channel_warps)
    sums_of_channels(PooledGradient<T, Index> task, Index channel_blocks) {
  __shared__ float memory[tile_bytes / sizeof(float)];
  const ConvGeometry<Index>& conv = task.conv;
  const CoveredTile<Index> tile(conv);
  float* const image = memory;
  auto* const gradients = reinterpret_cast<PlacedGradient*>(memory + tile.pixels() * warp_lanes);
  const Index taps = conv.kernel_rows * conv.kernel_columns;
  const Index lane = static_cast<Index>(threadIdx.x);
  const Index row_of_threads = static_cast<Index>(threadIdx.y);
  const Index first_filter = static_cast<Index>(blockIdx.y) / channel_blocks * filters_of_block;
  const Index first_channel = static_cast<Index>(blockIdx.y) % channel_blocks * warp_lanes;
  const Index channel = first_channel + lane;
  constexpr int pack_channels = 4;
  constexpr Index packs = warp_lanes / pack_channels;
  constexpr Index threads_of_block = warp_lanes * channel_warps;
  const Index thread = row_of_threads * warp_lanes + lane;
  const Index windows = task.pool.rows.output * task.pool.columns.output;

  Index offsets[own_weights];
  for (int i = 0; i < own_weights; ++i) {
    const Index row = static_cast<Index>(i) / conv.kernel_columns * conv.row_dilation;
    const Index column = static_cast<Index>(i) % conv.kernel_columns * conv.column_dilation;
    offsets[i] = (row * tile.columns + column) * warp_lanes + lane;
  }
  float own[own_filters][own_weights] = {};
  float bias[own_filters] = {};
  const Index last = task.last() / windows;
  for (Index n = task.first() / windows; n < last; ++n) {
    __syncthreads();
    for (Index i = thread; i < tile.pixels() * packs; i += threads_of_block) {
      const Index pixel = i / packs;
      const Index row = pixel / tile.columns - conv.top;
      const Index column = pixel % tile.columns - conv.left;
      const bool is_inside = row >= 0 && row < conv.input_rows && column >= 0 && column < conv.input_columns;
      ConvVector<T, pack_channels> loaded{};
      if (is_inside) {
        const Index at = ((n * conv.input_rows + row) * conv.input_columns + column) * conv.channels + first_channel;
        loaded = reinterpret_cast<const ConvVector<T, pack_channels>*>(task.x + at)[i % packs];
      }
      for (int k = 0; k < pack_channels; ++k) image[i * pack_channels + k] = number(loaded.values[k]);
    }
    static_assert(filters_of_block == warp_lanes);
    for (Index w = row_of_threads; w < windows; w += channel_warps) {
      PlacedGradient placed = {0.0F, -1};
      if (first_filter + lane < conv.filters) {
        const Index at = (n * windows + w) * conv.filters + first_filter + lane;
        const int position = task.index[at];
        const SelectedPixel<Index> pixel(task.pool, task.window(n * windows + w), position);
        if (position < task.no_cell && pixel.is_inside(conv)) {
          placed.value = number(task.dy[at]);
          placed.corner =
              static_cast<int>(pixel.row * conv.row_stride * tile.columns + pixel.column * conv.column_stride);
        }
      }
      gradients[w * filters_of_block + lane] = placed;
    }
    __syncthreads();
    for (Index w = 0; w < windows; ++w) {
      PlacedGradient own_gradients[own_filters];
      for (int f = 0; f < own_filters; ++f) {
        own_gradients[f] = gradients[w * filters_of_block + row_of_threads * own_filters + f];
      }
      for (int f = 0; f < own_filters; ++f) {
        const PlacedGradient placed = own_gradients[f];
        if (placed.corner < 0) continue;
        bias[f] += placed.value;
        const float* const corner = image + static_cast<Index>(placed.corner) * warp_lanes;
        for (int i = 0; i < own_weights; ++i) {
          if (i < taps) own[f][i] += placed.value * corner[offsets[i]];
        }
      }
    }
  }

  Computed<T>* const sums = task.sums();
  for (int f = 0; f < own_filters; ++f) {
    const Index filter = first_filter + row_of_threads * own_filters + f;
    if (filter >= conv.filters) continue;
    for (int i = 0; i < own_weights; ++i) {
      if (i < taps) sums[(filter * taps + i) * conv.channels + channel] = own[f][i];
    }
    if (channel == 0) sums[conv.depth * conv.filters + filter] = bias[f];
  }
}

constexpr int partial_lanes = 16;

/// Adds up the partial sums of all splits in fixed order. `is_by_filter`: those of a filter's weights are neighbours.
template <class T>
__global__ void sum_of_partial_sums(const Computed<T>* partial, std::int64_t splits, std::int64_t depth,
                                    std::int64_t filters, bool is_by_filter, T* kernel, T* bias) {
  __shared__ Computed<T> sums[partial_lanes][warp_lanes];
  const std::int64_t size = (depth + 1) * filters;
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * warp_lanes; first < size;
       first += static_cast<std::int64_t>(gridDim.x) * warp_lanes) {
    const std::int64_t place = first + threadIdx.x;
    Computed<T> own = 0;
    if (place < size) {
      for (std::int64_t split = threadIdx.y; split < splits; split += partial_lanes)
        own += partial[split * size + place];
    }
    sums[threadIdx.y][threadIdx.x] = own;
    __syncthreads();
    if (threadIdx.y == 0 && place < size) {
      Computed<T> sum = 0;
      for (int lane = 0; lane < partial_lanes; ++lane) sum += sums[lane][threadIdx.x];
      if (place >= depth * filters) {
        bias[place - depth * filters] = element<T>(sum);
      } else {
        kernel[is_by_filter ? place % depth * filters + place / depth : place] = element<T>(sum);
      }
    }
    __syncthreads();
  }
}

std::int64_t divided_up(std::int64_t count, std::int64_t size) { return (count + size - 1) / size; }

std::int64_t windows_of(const ConvolutionProblem& problem, const Pool2DAttributes& pool) {
  const PoolShape<std::int64_t> shape({problem.images, problem.output[0], problem.output[1], 1}, pool, 1);
  return shape.output_size();
}

/// How the work is divided.
struct PooledCut {
  bool is_by_filter;
  std::int64_t filter_lanes = 1;
  std::int64_t filter_blocks;
  /// Of weights, or blocks of channels.
  std::int64_t others;
  std::int64_t windows_per_split;
  std::int64_t splits;

  PooledCut(const ConvolutionProblem& problem, const Pool2DAttributes& pool) : is_by_filter(!is_direct(problem)) {
    if (is_by_filter) {
      filter_blocks = divided_up(problem.filters, filters_of_block);
      others = problem.channels / warp_lanes;
    } else {
      while (filter_lanes < warp_lanes && filter_lanes < problem.filters) filter_lanes *= 2;
      filter_blocks = divided_up(problem.filters, filter_lanes);
      others = divided_up(problem.depth(), own_weights);
    }
    const std::int64_t windows = windows_of(problem, pool);
    // A block that copies images takes whole ones.
    const std::int64_t unit = is_by_filter ? windows / problem.images : 1;
    const std::int64_t wanted = std::max<std::int64_t>(1, busy_blocks / (filter_blocks * others));
    windows_per_split = divided_up(windows / unit, wanted) * unit;
    splits = divided_up(windows, windows_per_split);
  }

  dim3 grid() const { return dim3(static_cast<unsigned>(splits), static_cast<unsigned>(filter_blocks * others)); }
  dim3 block() const {
    if (is_by_filter) return dim3(warp_lanes, channel_warps);
    return dim3(static_cast<unsigned>(filter_lanes), static_cast<unsigned>(filter_threads / filter_lanes));
  }
};

/// Whether a thread's sums fit into registers, and an image with its gradients into the memory of a block.
bool fits_channels(const ConvolutionProblem& problem, const Pool2DAttributes& pool) {
  if (problem.groups != 1 || problem.dtype == DType::float64 || problem.channels % warp_lanes != 0) return false;
  const std::int64_t pixels = CoveredTile(ConvGeometry<std::int64_t>(problem)).pixels();
  const std::int64_t windows = windows_of(problem, pool) / problem.images;
  const std::int64_t bytes = pixels * warp_lanes * static_cast<std::int64_t>(sizeof(float)) +
                             windows * filters_of_block * static_cast<std::int64_t>(sizeof(PlacedGradient));
  return problem.taps() <= own_weights && bytes <= tile_bytes;
}

}  // namespace

bool has_pooled_kernel_gradient(const ConvolutionProblem& problem, const Pool2DAttributes& pool) {
  constexpr std::int64_t max_products = std::int64_t{1} << 26;
  constexpr std::int64_t max_grid_rows = 65535;
  if (problem.is_empty() || windows_of(problem, pool) == 0) return false;
  const bool is_small = windows_of(problem, pool) * problem.kernel_size() <= max_products;
  if (!is_direct(problem) && !(is_small && fits_channels(problem, pool))) return false;
  // Only now: other numbers of channels cannot be divided so.
  const PooledCut cut(problem, pool);
  return cut.filter_blocks * cut.others <= max_grid_rows;
}

std::size_t pooled_kernel_gradient_workspace_bytes(const ConvolutionProblem& problem, const Pool2DAttributes& pool) {
  const std::size_t number_bytes = problem.dtype == DType::float64 ? sizeof(double) : sizeof(float);
  return static_cast<std::size_t>(PooledCut(problem, pool).splits * (problem.depth() + 1) * problem.filters) *
         number_bytes;
}

void pooled_kernel_gradient(GpuStream& stream, const ConvolutionProblem& problem, const Pool2DAttributes& pool,
                            const void* x, const void* dy, const std::uint8_t* index, void* kernel_gradient,
                            void* bias_gradient, void* workspace) {
  const PooledCut cut(problem, pool);
  const LaunchShape shape = {cut.grid(), cut.block()};
  with_floating_dtype(problem.dtype, [&](auto type) {
    using T = decltype(type);
    with_conv_index(problem, [&](auto integer) {
      using Index = decltype(integer);
      const PooledGradient<T, Index> task = {
          ConvGeometry<Index>(problem),
          PoolShape<Index>({problem.images, problem.output[0], problem.output[1], problem.filters}, pool, 1),
          static_cast<const T*>(x),
          static_cast<const T*>(dy),
          index,
          static_cast<int>(no_cell(pool)),
          static_cast<Index>(cut.windows_per_split),
          static_cast<Computed<T>*>(workspace)};
      if (cut.is_by_filter) {
        launch(stream, "kernel gradient before MaxPool2D", shape, &sums_of_channels<T, Index>, task,
               static_cast<Index>(cut.others));
      } else {
        launch(stream, "kernel gradient of few channels before MaxPool2D", shape, &sums_of_filters<T, Index>, task,
               static_cast<Index>(cut.filter_blocks));
      }
    });
    LaunchShape sum_shape = one_block_each(divided_up((problem.depth() + 1) * problem.filters, warp_lanes));
    sum_shape.block = dim3(warp_lanes, partial_lanes);
    launch(stream, "sum of a kernel's gradient", sum_shape, &sum_of_partial_sums<T>,
           static_cast<const Computed<T>*>(workspace), cut.splits, problem.depth(), problem.filters, cut.is_by_filter,
           static_cast<T*>(kernel_gradient), static_cast<T*>(bias_gradient));
  });
}

}  // namespace rhyton::gpu
