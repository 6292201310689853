#include <rhyton/framework/backends/gpu/conv/direct.h>

#include <algorithm>

#include <rhyton/framework/backends/gpu/conv/dtype.h>
#include <rhyton/framework/backends/gpu/conv/geometry.h>
#include <rhyton/framework/backends/gpu/conv/layout.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>

namespace rhyton::gpu {
namespace {

/// Threads of a block, and weights per filter that one block sums up: those of 3 x 3 taps of one channel.
constexpr int threads = 256;
constexpr int chunk = 9;

/// How the work is divided: pixels into splits, the weights of a filter into chunks, filters into blocks of `lanes`.
struct Cut {
  std::int64_t length;
  std::int64_t filter_lanes;
  std::int64_t filter_blocks;
  std::int64_t chunks;
  std::int64_t splits;

  explicit Cut(const ConvolutionProblem& problem) {
    const std::int64_t longest = problem.dtype == DType::float64 ? 2 : 4;
    length = problem.group_filters() % longest == 0 ? longest : 1;
    const std::int64_t vectors = problem.filters / length;
    filter_lanes = 1;
    while (filter_lanes < 32 && filter_lanes < vectors) filter_lanes *= 2;
    filter_blocks = (vectors + filter_lanes - 1) / filter_lanes;
    chunks = (problem.depth() + chunk - 1) / chunk;
    // Fewer than two blocks for each multiprocessor of a large GPU would not hide the latency of memory.
    constexpr std::int64_t few_blocks = 2 * 132;
    splits = splits_of(problem.output_pixels(), 8);
    if (splits * chunks * filter_blocks < few_blocks) splits = splits_of(problem.output_pixels(), 4);
  }

 private:
  std::int64_t splits_of(std::int64_t pixels, std::int64_t pixels_per_thread) const {
    // Four blocks for each multiprocessor of a large GPU, unless threads would have too few pixels.
    constexpr std::int64_t max_blocks = 4 * 132;
    const std::int64_t pixels_per_block = threads / filter_lanes * pixels_per_thread;
    return std::clamp<std::int64_t>((pixels + pixels_per_block - 1) / pixels_per_block, 1,
                                    std::max<std::int64_t>(1, max_blocks / (chunks * filter_blocks)));
  }
};

/// Each block sums over one split of the pixels. Its threads are arranged along the filters and, in rows of the block,
/// iterate over the pixels in turn; the rows are added up at the end in fixed order.
template <class T, class Index, int length>
__global__ void partial_sums(ConvGeometry<Index> conv, const T* x, const T* dy, Index pixels_per_split,
                             Index filter_blocks, Computed<T>* partial) {
  __shared__ Computed<T> sums[threads * chunk * length];
  const auto filter_lanes = static_cast<Index>(blockDim.x);
  const auto pixel_lanes = static_cast<Index>(blockDim.y);
  const auto split = static_cast<Index>(blockIdx.x);
  const Index first_place = static_cast<Index>(blockIdx.y) / filter_blocks * chunk;
  const Index first_filter = static_cast<Index>(blockIdx.y) % filter_blocks * filter_lanes * length;
  const Index filter = first_filter + static_cast<Index>(threadIdx.x) * length;

  Computed<T> own[chunk][length] = {};
  if (filter < conv.filters) {
    const Index first_channel = filter / conv.group_filters * conv.group_channels;
    const Index end = min(conv.output_pixels(), (split + 1) * pixels_per_split);
    Index rows[chunk];
    Index columns[chunk];
    Index channels[chunk];
    for (int i = 0; i < chunk; ++i) {
      const ConvWeight<Index> weight(min(first_place + i, conv.depth - 1), conv.kernel_columns, conv.group_channels);
      rows[i] = weight.row;
      columns[i] = weight.column;
      channels[i] = first_channel + weight.channel;
    }
    for (Index pixel = split * pixels_per_split + static_cast<Index>(threadIdx.y); pixel < end; pixel += pixel_lanes) {
      const auto loaded = *reinterpret_cast<const ConvVector<T, length>*>(dy + pixel * conv.filters + filter);
      Computed<T> gradient[length];
      for (int lane = 0; lane < length; ++lane) gradient[lane] = number(loaded.values[lane]);
      const ConvPixel<Index> place(pixel, conv.output_rows, conv.output_columns);
      for (int i = 0; i < chunk; ++i) {
        const Index input = covered_input(conv, place, rows[i], columns[i]);
        if (input < 0) continue;
        const Computed<T> value = number(x[input * conv.channels + channels[i]]);
        for (int lane = 0; lane < length; ++lane) own[i][lane] += value * gradient[lane];
      }
    }
  }

  const int line = static_cast<int>(filter_lanes) * length;
  for (int i = 0; i < chunk; ++i) {
    for (int lane = 0; lane < length; ++lane) {
      sums[(static_cast<int>(threadIdx.y) * chunk + i) * line + static_cast<int>(threadIdx.x) * length + lane] =
          own[i][lane];
    }
  }
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  for (int result = thread; result < chunk * line; result += threads) {
    const Index place = first_place + result / line;
    const Index target = first_filter + result % line;
    if (place >= conv.depth || target >= conv.filters) continue;
    Computed<T> sum = 0;
    for (int lane = 0; lane < static_cast<int>(pixel_lanes); ++lane) sum += sums[lane * chunk * line + result];
    partial[(static_cast<std::int64_t>(split) * conv.depth + place) * conv.filters + target] = sum;
  }
}

template <class T, int length>
void launch_partial_sums(GpuStream& stream, const ConvolutionProblem& problem, const Cut& cut, const void* x,
                         const void* dy, void* partial) {
  with_conv_index(problem, [&](auto index) {
    using Index = decltype(index);
    const LaunchShape shape{
        dim3(static_cast<unsigned>(cut.splits), static_cast<unsigned>(cut.chunks * cut.filter_blocks)),
        dim3(static_cast<unsigned>(cut.filter_lanes), static_cast<unsigned>(threads / cut.filter_lanes))};
    launch(stream, "kernel gradient of few channels", shape, &partial_sums<T, Index, length>,
           ConvGeometry<Index>(problem), static_cast<const T*>(x), static_cast<const T*>(dy),
           static_cast<Index>((problem.output_pixels() + cut.splits - 1) / cut.splits),
           static_cast<Index>(cut.filter_blocks), static_cast<Computed<T>*>(partial));
  });
}

}  // namespace

std::size_t direct_kernel_gradient_workspace_bytes(const ConvolutionProblem& problem) {
  const std::size_t number_bytes = problem.dtype == DType::float64 ? sizeof(double) : sizeof(float);
  return static_cast<std::size_t>(Cut(problem).splits * problem.kernel_size()) * number_bytes;
}

void direct_kernel_gradient(GpuStream& stream, const ConvolutionProblem& problem, const void* x, const void* dy,
                            void* gradient, void* workspace) {
  const Cut cut(problem);
  with_floating_dtype(problem.dtype, [&](auto type) {
    using T = decltype(type);
    constexpr int longest = 16 / static_cast<int>(sizeof(Computed<T>));
    if (cut.length == longest) {
      launch_partial_sums<T, longest>(stream, problem, cut, x, dy, workspace);
    } else {
      launch_partial_sums<T, 1>(stream, problem, cut, x, dy, workspace);
    }
  });
  sum_splits(stream, problem.dtype, workspace, cut.splits, problem.kernel_size(), gradient);
}

}  // namespace rhyton::gpu
