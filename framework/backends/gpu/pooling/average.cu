#include <rhyton/framework/backends/gpu/pooling/pooling.h>
#include <rhyton/framework/backends/gpu/pooling/shape.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/ops/pooling.h>

namespace rhyton::gpu {
namespace {

/// The number of cells of a window inside the image.
template <class Index>
__host__ __device__ int cells_of(const PoolShape<Index>& shape, int row, int column) {
  return (shape.rows.last(row) - shape.rows.first(row)) * (shape.columns.last(column) - shape.columns.first(column));
}

template <class T, int width, class Index>
__global__ void average_pool(const Pack<T, width>* x, Pack<T, width>* y, std::int64_t size, PoolShape<Index> shape,
                             PoolPlaces<Index> places) {
  for_each_index(size, [&](std::int64_t i) {
    const PoolPlace<Index> at = places(static_cast<Index>(i));
    Computed<T> sums[width] = {};
    for (int row = shape.rows.first(at.row); row < shape.rows.last(at.row); ++row) {
      for (int column = shape.columns.first(at.column); column < shape.columns.last(at.column); ++column) {
        const Pack<T, width> cells = x[shape.cell(at.image, row, column, at.channel)];
        for (int k = 0; k < width; ++k) sums[k] += number(cells.values[k]);
      }
    }
    const auto cells = static_cast<Computed<T>>(cells_of(shape, at.row, at.column));
    Pack<T, width> means;
    for (int k = 0; k < width; ++k) means.values[k] = element<T>(sums[k] / cells);
    y[i] = means;
  });
}

/// Each cell adds the shares of the windows that cover it, row by row.
template <class T, int width, class Index>
__global__ void average_pool_gradient(const Pack<T, width>* dy, Pack<T, width>* dx, std::int64_t size,
                                      PoolShape<Index> shape, PoolPlaces<Index> places) {
  for_each_index(size, [&](std::int64_t i) {
    const PoolPlace<Index> at = places(static_cast<Index>(i));
    Computed<T> sums[width] = {};
    const int first_column = shape.columns.first_window(at.column);
    const int last_column = shape.columns.last_window(at.column);
    for (int row = shape.rows.first_window(at.row); row < shape.rows.last_window(at.row); ++row) {
      for (int column = first_column; column < last_column; ++column) {
        const Pack<T, width> gradients = dy[shape.window(at.image, row, column, at.channel)];
        const auto cells = static_cast<Computed<T>>(cells_of(shape, row, column));
        for (int k = 0; k < width; ++k) sums[k] += number(gradients.values[k]) / cells;
      }
    }
    Pack<T, width> values;
    for (int k = 0; k < width; ++k) values.values[k] = element<T>(sums[k]);
    dx[i] = values;
  });
}

template <class T>
void run_average_pool(const KernelArguments& arguments) {
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  with_packs<T>(arguments, [&](auto pack, auto integer) {
    using Index = decltype(integer);
    constexpr int width = decltype(pack)::value;
    const PoolShape<Index> shape(x.shape(), arguments.attributes<AveragePool2DOp>().window(), width);
    const PoolPlaces<Index> places(shape.rows.output, shape.columns.output, shape.channels);
    launch(stream_of(arguments), "AveragePool2D", one_thread_each(shape.output_size()), &average_pool<T, width, Index>,
           x.as<const Pack<T, width>>(), y.as<Pack<T, width>>(), shape.output_size(), shape, places);
  });
}

template <class T>
void run_average_pool_gradient(const KernelArguments& arguments) {
  const TensorView& dx = arguments.outputs[0];
  if (dx.size() == 0) return;
  with_packs<T>(arguments, [&](auto pack, auto integer) {
    using Index = decltype(integer);
    constexpr int width = decltype(pack)::value;
    const PoolShape<Index> shape(dx.shape(), arguments.attributes<AveragePool2DGradientOp>().window(), width);
    const PoolPlaces<Index> places(shape.rows.input, shape.columns.input, shape.channels);
    launch(stream_of(arguments), "AveragePool2DGradient", one_thread_each(shape.input_size()),
           &average_pool_gradient<T, width, Index>, arguments.inputs[0].as<const Pack<T, width>>(),
           dx.as<Pack<T, width>>(), shape.input_size(), shape, places);
  });
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("AveragePool2D", dtype_of<T>, {.run = &run_average_pool<T>}), ...);
  (table.add("AveragePool2DGradient", dtype_of<T>, {.run = &run_average_pool_gradient<T>}), ...);
}

}  // namespace

void register_average_pooling_kernels(KernelTable& table) { add_all<float, double, Half, BFloat16>(table); }

}  // namespace rhyton::gpu
