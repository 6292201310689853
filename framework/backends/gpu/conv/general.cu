#include <rhyton/framework/backends/gpu/conv/general.h>

#include <algorithm>

#include <rhyton/framework/backends/gpu/conv/dtype.h>
#include <rhyton/framework/backends/gpu/conv/geometry.h>
#include <rhyton/framework/backends/gpu/conv/layout.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>

namespace rhyton::gpu {
namespace {

/// A block computes a tile of `tile` x `tile` results, each of its 16 x 16 threads 4 x 4 of them, and iterates over the
/// depth in steps of `step`.
constexpr int tile = 64;
constexpr int step = 16;
constexpr int lanes = 16;
constexpr int share = tile / lanes;

// Each of the following defines, for one group of channels, how a convolution is a product of two matrices:
// `left(group, row, place)` times `right(group, place, column)`, summed over the places. Neighbouring threads load
// along the depth where `loads_along_depth` is true, else along rows or columns, whichever are contiguous in memory.

/// Rows are output pixels, columns filters, places weights.
template <class T, class Index>
struct ForwardProduct {
  static constexpr bool left_loads_along_depth = true;
  static constexpr bool right_loads_along_depth = false;
  using Result = T;

  ConvGeometry<Index> conv;
  const T* x;
  const T* kernel;
  const T* bias;
  bool relu;
  T* y;

  __host__ __device__ Index rows() const { return conv.output_pixels(); }
  __host__ __device__ Index columns() const { return conv.group_filters; }
  __host__ __device__ Index depth() const { return conv.depth; }

  __device__ Computed<T> left(Index group, Index row, Index place) const {
    const ConvWeight<Index> weight(place, conv.kernel_columns, conv.group_channels);
    const Index input =
        covered_input(conv, ConvPixel<Index>(row, conv.output_rows, conv.output_columns), weight.row, weight.column);
    return input < 0 ? Computed<T>(0) : number(x[input * conv.channels + group * conv.group_channels + weight.channel]);
  }
  __device__ Computed<T> right(Index group, Index place, Index column) const {
    return number(kernel[place * conv.filters + group * conv.group_filters + column]);
  }
  __device__ void store(Index group, Index, Index row, Index column, Computed<T> value) const {
    const Index filter = group * conv.group_filters + column;
    if (bias != nullptr) value += number(bias[filter]);
    if (relu && value < Computed<T>(0)) value = 0;
    y[row * conv.filters + filter] = element<T>(value);
  }
};

/// Rows are input pixels, columns channels of the group, places filters of each tap.
template <class T, class Index>
struct InputGradientProduct {
  static constexpr bool left_loads_along_depth = true;
  static constexpr bool right_loads_along_depth = true;
  using Result = T;

  ConvGeometry<Index> conv;
  const T* kernel;
  const T* dy;
  T* dx;

  __host__ __device__ Index rows() const { return conv.input_pixels(); }
  __host__ __device__ Index columns() const { return conv.group_channels; }
  __host__ __device__ Index depth() const { return conv.kernel_rows * conv.kernel_columns * conv.group_filters; }

  __device__ Computed<T> left(Index group, Index row, Index place) const {
    const ConvWeight<Index> weight(place, conv.kernel_columns, conv.group_filters);
    const Index output =
        covering_output(conv, ConvPixel<Index>(row, conv.input_rows, conv.input_columns), weight.row, weight.column);
    return output < 0 ? Computed<T>(0)
                      : number(dy[output * conv.filters + group * conv.group_filters + weight.channel]);
  }
  __device__ Computed<T> right(Index group, Index place, Index column) const {
    const Index tap = place / conv.group_filters;
    const Index filter = group * conv.group_filters + place % conv.group_filters;
    return number(kernel[(tap * conv.group_channels + column) * conv.filters + filter]);
  }
  __device__ void store(Index group, Index, Index row, Index column, Computed<T> value) const {
    dx[row * conv.channels + group * conv.group_channels + column] = element<T>(value);
  }
};

/// Rows are weights, columns filters, places output pixels. Each split of the places has its own results.
template <class T, class Index>
struct KernelGradientProduct {
  static constexpr bool left_loads_along_depth = false;
  static constexpr bool right_loads_along_depth = false;
  using Result = T;

  ConvGeometry<Index> conv;
  const T* x;
  const T* dy;
  Computed<T>* partial;

  __host__ __device__ Index rows() const { return conv.depth; }
  __host__ __device__ Index columns() const { return conv.group_filters; }
  __host__ __device__ Index depth() const { return conv.output_pixels(); }

  __device__ Computed<T> left(Index group, Index row, Index place) const {
    const ConvWeight<Index> weight(row, conv.kernel_columns, conv.group_channels);
    const Index input =
        covered_input(conv, ConvPixel<Index>(place, conv.output_rows, conv.output_columns), weight.row, weight.column);
    return input < 0 ? Computed<T>(0) : number(x[input * conv.channels + group * conv.group_channels + weight.channel]);
  }
  __device__ Computed<T> right(Index group, Index place, Index column) const {
    return number(dy[place * conv.filters + group * conv.group_filters + column]);
  }
  __device__ void store(Index group, Index split, Index row, Index column, Computed<T> value) const {
    partial[(static_cast<std::int64_t>(split) * conv.depth + row) * conv.filters + group * conv.group_filters +
            column] = value;
  }
};

/// Blocks: x tiles of rows, y tiles of columns, z groups and, within each, splits of the depth.
template <class Product, class Index>
__global__ void tiled_product(Product product, Index splits, Index places_per_split) {
  using Number = Computed<typename Product::Result>;
  __shared__ Number left[step][tile + 1];
  __shared__ Number right[step][tile + 1];
  const int thread = static_cast<int>(threadIdx.y) * lanes + static_cast<int>(threadIdx.x);
  const Index first_row = static_cast<Index>(blockIdx.x) * tile;
  for (Index batch = static_cast<Index>(blockIdx.z); batch < product.conv.groups * splits;
       batch += static_cast<Index>(gridDim.z)) {
    const Index group = batch / splits;
    const Index split = batch % splits;
    const Index end = min(product.depth(), (split + 1) * places_per_split);
    for (Index first_column = static_cast<Index>(blockIdx.y) * tile; first_column < product.columns();
         first_column += static_cast<Index>(gridDim.y) * tile) {
      Number sums[share][share] = {};
      for (Index first = split * places_per_split; first < end; first += step) {
        for (int i = thread; i < tile * step; i += lanes * lanes) {
          const int along = Product::left_loads_along_depth ? i % step : i / tile;
          const int across = Product::left_loads_along_depth ? i / step : i % tile;
          const bool is_inside = first + along < end && first_row + across < product.rows();
          left[along][across] = is_inside ? product.left(group, first_row + across, first + along) : Number(0);
        }
        for (int i = thread; i < tile * step; i += lanes * lanes) {
          const int along = Product::right_loads_along_depth ? i % step : i / tile;
          const int across = Product::right_loads_along_depth ? i / step : i % tile;
          const bool is_inside = first + along < end && first_column + across < product.columns();
          right[along][across] = is_inside ? product.right(group, first + along, first_column + across) : Number(0);
        }
        __syncthreads();
        for (int along = 0; along < step; ++along) {
          Number factors[share];
          for (int column = 0; column < share; ++column) {
            factors[column] = right[along][static_cast<int>(threadIdx.x) + column * lanes];
          }
          for (int row = 0; row < share; ++row) {
            const Number factor = left[along][static_cast<int>(threadIdx.y) + row * lanes];
            for (int column = 0; column < share; ++column) sums[row][column] += factor * factors[column];
          }
        }
        __syncthreads();
      }
      for (int i = 0; i < share; ++i) {
        for (int j = 0; j < share; ++j) {
          const Index row = first_row + static_cast<int>(threadIdx.y) + i * lanes;
          const Index column = first_column + static_cast<int>(threadIdx.x) + j * lanes;
          if (row < product.rows() && column < product.columns()) product.store(group, split, row, column, sums[i][j]);
        }
      }
    }
  }
}

std::int64_t tiles(std::int64_t length) { return (length + tile - 1) / tile; }

template <class Index, class Product>
void launch_product(GpuStream& stream, const char* what, const Product& product, std::int64_t splits) {
  constexpr std::int64_t max_blocks = 65535;
  const auto rows = static_cast<std::int64_t>(product.rows());
  const auto columns = static_cast<std::int64_t>(product.columns());
  const auto groups = static_cast<std::int64_t>(product.conv.groups);
  const auto depth = static_cast<std::int64_t>(product.depth());
  if (rows == 0 || columns == 0) return;
  const LaunchShape shape{
      dim3(static_cast<unsigned>(tiles(rows)), static_cast<unsigned>(std::min(tiles(columns), max_blocks)),
           static_cast<unsigned>(std::min(groups * splits, max_blocks))),
      dim3(lanes, lanes)};
  launch(stream, what, shape, &tiled_product<Product, Index>, product, static_cast<Index>(splits),
         static_cast<Index>((depth + splits - 1) / splits));
}

/// The number of parts of the output pixels: enough for a large GPU, but none with fewer than some hundred of them.
std::int64_t kernel_gradient_splits(const ConvolutionProblem& problem) {
  constexpr std::int64_t blocks = 2 * 132;
  constexpr std::int64_t fewest_pixels = 256;
  const std::int64_t blocks_per_split = tiles(problem.depth()) * tiles(problem.group_filters()) * problem.groups;
  const std::int64_t maximum = std::max<std::int64_t>(1, blocks / std::max<std::int64_t>(1, blocks_per_split));
  return std::clamp<std::int64_t>(problem.output_pixels() / fewest_pixels, 1, maximum);
}

}  // namespace

void general_forward(GpuStream& stream, const ConvolutionProblem& problem, const void* x, const void* kernel,
                     const void* bias, bool relu, void* y) {
  with_floating_dtype(problem.dtype, [&](auto type) {
    using T = decltype(type);
    with_conv_index(problem, [&](auto index) {
      using Index = decltype(index);
      const ForwardProduct<T, Index> product{ConvGeometry<Index>(problem),
                                             static_cast<const T*>(x),
                                             static_cast<const T*>(kernel),
                                             static_cast<const T*>(bias),
                                             relu,
                                             static_cast<T*>(y)};
      launch_product<Index>(stream, "convolution", product, 1);
    });
  });
}

void general_input_gradient(GpuStream& stream, const ConvolutionProblem& problem, const void* kernel, const void* dy,
                            void* dx) {
  with_floating_dtype(problem.dtype, [&](auto type) {
    using T = decltype(type);
    with_conv_index(problem, [&](auto index) {
      using Index = decltype(index);
      const InputGradientProduct<T, Index> product{ConvGeometry<Index>(problem), static_cast<const T*>(kernel),
                                                   static_cast<const T*>(dy), static_cast<T*>(dx)};
      launch_product<Index>(stream, "input gradient of a convolution", product, 1);
    });
  });
}

std::size_t general_kernel_gradient_workspace_bytes(const ConvolutionProblem& problem) {
  const std::size_t number_bytes = problem.dtype == DType::float64 ? sizeof(double) : sizeof(float);
  return static_cast<std::size_t>(kernel_gradient_splits(problem) * problem.kernel_size()) * number_bytes;
}

void general_kernel_gradient(GpuStream& stream, const ConvolutionProblem& problem, const void* x, const void* dy,
                             void* gradient, void* workspace) {
  if (problem.kernel_size() == 0) return;
  const std::int64_t splits = kernel_gradient_splits(problem);
  with_floating_dtype(problem.dtype, [&](auto type) {
    using T = decltype(type);
    with_conv_index(problem, [&](auto index) {
      using Index = decltype(index);
      const KernelGradientProduct<T, Index> product{ConvGeometry<Index>(problem), static_cast<const T*>(x),
                                                    static_cast<const T*>(dy), static_cast<Computed<T>*>(workspace)};
      launch_product<Index>(stream, "kernel gradient of a convolution", product, splits);
    });
  });
  sum_splits(stream, problem.dtype, workspace, splits, problem.kernel_size(), gradient);
}

}  // namespace rhyton::gpu
