#include <array>
#include <cstdint>

#include <rhyton/framework/backends/gpu/conv/dtype.h>
#include <rhyton/framework/backends/gpu/pooling/largest.h>
#include <rhyton/framework/backends/gpu/pooling/pooling.h>
#include <rhyton/framework/backends/gpu/pooling/shape.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/ops/conv_max_pool.h>
#include <rhyton/framework/ops/pooling.h>

namespace rhyton::gpu {
namespace {

/// The operations on each cell before it is pooled.
template <class T, int width>
struct BeforePooling {
  /// Added to each cell; null for none.
  const Pack<T, width>* bias = nullptr;
  /// ReLU: values that are not positive get the index `no_cell`.
  bool cuts = false;
  int no_cell = 0;

  __device__ Pack<T, width> bias_of(std::int64_t channel) const {
    return bias != nullptr ? bias[channel] : Pack<T, width>{};
  }
  /// Rounded as the sum would be in memory.
  __device__ Computed<T> operator()(T cell, T shift) const {
    return bias != nullptr ? number(element<T>(number(cell) + number(shift))) : number(cell);
  }
  __device__ void finish(Largest<Computed<T>>& largest) const {
    if (cuts) largest.cut(no_cell);
  }
};

template <class T, class Place, int width, class Index>
__global__ void max_pool(const Pack<T, width>* x, BeforePooling<T, width> before, Pack<T, width>* y,
                         Pack<Place, width>* index, std::int64_t size, PoolShape<Index> shape,
                         PoolPlaces<Index> places) {
  for_each_index(size, [&](std::int64_t i) {
    const PoolPlace<Index> at = places(static_cast<Index>(i));
    Largest<Computed<T>> largest[width];
    const Pack<T, width> shift = before.bias_of(at.channel);
    for (int row = shape.rows.first(at.row); row < shape.rows.last(at.row); ++row) {
      for (int column = shape.columns.first(at.column); column < shape.columns.last(at.column); ++column) {
        const int position =
            (row - shape.rows.begin(at.row)) * shape.columns.window + column - shape.columns.begin(at.column);
        const Pack<T, width> cells = x[shape.cell(at.image, row, column, at.channel)];
        for (int k = 0; k < width; ++k) largest[k].meet(before(cells.values[k], shift.values[k]), position);
      }
    }
    Pack<T, width> values;
    Pack<Place, width> positions;
    for (int k = 0; k < width; ++k) {
      before.finish(largest[k]);
      values.values[k] = element<T>(largest[k].value);
      positions.values[k] = static_cast<Place>(largest[k].place);
    }
    y[i] = values;
    if (index != nullptr) index[i] = positions;
  });
}

/// Each cell checks the windows that cover it, row by row.
template <class T, class Place, int width, class Index>
__global__ void max_pool_gradient(const Pack<T, width>* dy, const Pack<Place, width>* index, Pack<T, width>* dx,
                                  std::int64_t size, PoolShape<Index> shape, PoolPlaces<Index> places) {
  for_each_index(size, [&](std::int64_t i) {
    const PoolPlace<Index> at = places(static_cast<Index>(i));
    Computed<T> sums[width] = {};
    const int first_column = shape.columns.first_window(at.column);
    const int last_column = shape.columns.last_window(at.column);
    for (int row = shape.rows.first_window(at.row); row < shape.rows.last_window(at.row); ++row) {
      for (int column = first_column; column < last_column; ++column) {
        const int position =
            (at.row - shape.rows.begin(row)) * shape.columns.window + at.column - shape.columns.begin(column);
        const Index window = shape.window(at.image, row, column, at.channel);
        const Pack<Place, width> positions = index[window];
        const Pack<T, width> gradients = dy[window];
        for (int k = 0; k < width; ++k) {
          if (positions.values[k] == position) sums[k] += number(gradients.values[k]);
        }
      }
    }
    Pack<T, width> values;
    for (int k = 0; k < width; ++k) values.values[k] = element<T>(sums[k]);
    dx[i] = values;
  });
}

/// A position outside of the image gives 0.
template <class T, class Place, int width, class Index>
__global__ void max_pool_select(const Pack<T, width>* x, const Pack<Place, width>* index, Pack<T, width>* y,
                                std::int64_t size, PoolShape<Index> shape, PoolPlaces<Index> places) {
  for_each_index(size, [&](std::int64_t i) {
    const PoolPlace<Index> at = places(static_cast<Index>(i));
    const Pack<Place, width> positions = index[i];
    Pack<T, width> values;
    for (int k = 0; k < width; ++k) {
      const int position = positions.values[k];
      const int row = shape.rows.begin(at.row) + position / shape.columns.window;
      const int column = shape.columns.begin(at.column) + position % shape.columns.window;
      const bool is_inside = position >= 0 && position < shape.rows.window * shape.columns.window && row >= 0 &&
                             row < shape.rows.input && column >= 0 && column < shape.columns.input;
      values.values[k] = T();
      if (is_inside) values.values[k] = x[shape.cell(at.image, row, column, at.channel)].values[k];
    }
    y[i] = values;
  });
}

/// Calls function(a position) with an integer of the index's type.
template <class Function>
void with_place_type(const TensorView& index, const Function& function) {
  if (index.spec.dtype == DType::uint8) return function(std::uint8_t());
  function(std::int32_t());
}

template <class T>
void run_max_pool(const KernelArguments& arguments) {
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  with_place_type(arguments.outputs[1], [&](auto place) {
    using Place = decltype(place);
    with_packs<T>(arguments, [&](auto pack, auto integer) {
      using Index = decltype(integer);
      constexpr int width = decltype(pack)::value;
      const PoolShape<Index> shape(x.shape(), arguments.attributes<MaxPool2DOp>().window(), width);
      const PoolPlaces<Index> places(shape.rows.output, shape.columns.output, shape.channels);
      launch(stream_of(arguments), "MaxPool2D", one_thread_each(shape.output_size()), &max_pool<T, Place, width, Index>,
             x.as<const Pack<T, width>>(), BeforePooling<T, width>(), y.as<Pack<T, width>>(),
             arguments.outputs[1].as<Pack<Place, width>>(), shape.output_size(), shape, places);
    });
  });
}

template <class T>
void run_max_pool_gradient(const KernelArguments& arguments) {
  const TensorView& dx = arguments.outputs[0];
  if (dx.size() == 0) return;
  with_place_type(arguments.inputs[1], [&](auto place) {
    using Place = decltype(place);
    with_packs<T>(arguments, [&](auto pack, auto integer) {
      using Index = decltype(integer);
      constexpr int width = decltype(pack)::value;
      const PoolShape<Index> shape(dx.shape(), arguments.attributes<MaxPool2DGradientOp>().window(), width);
      const PoolPlaces<Index> places(shape.rows.input, shape.columns.input, shape.channels);
      launch(stream_of(arguments), "MaxPool2DGradient", one_thread_each(shape.input_size()),
             &max_pool_gradient<T, Place, width, Index>, arguments.inputs[0].as<const Pack<T, width>>(),
             arguments.inputs[1].as<const Pack<Place, width>>(), dx.as<Pack<T, width>>(), shape.input_size(), shape,
             places);
    });
  });
}

template <class T>
void run_max_pool_select(const KernelArguments& arguments) {
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  with_place_type(arguments.inputs[1], [&](auto place) {
    using Place = decltype(place);
    with_packs<T>(arguments, [&](auto pack, auto integer) {
      using Index = decltype(integer);
      constexpr int width = decltype(pack)::value;
      const PoolShape<Index> shape(x.shape(), arguments.attributes<MaxPool2DSelectOp>().window(), width);
      const PoolPlaces<Index> places(shape.rows.output, shape.columns.output, shape.channels);
      launch(stream_of(arguments), "MaxPool2DSelect", one_thread_each(shape.output_size()),
             &max_pool_select<T, Place, width, Index>, x.as<const Pack<T, width>>(),
             arguments.inputs[1].as<const Pack<Place, width>>(), y.as<Pack<T, width>>(), shape.output_size(), shape,
             places);
    });
  });
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("MaxPool2D", dtype_of<T>, {.run = &run_max_pool<T>}), ...);
  (table.add("MaxPool2DGradient", dtype_of<T>, {.run = &run_max_pool_gradient<T>}), ...);
  (table.add("MaxPool2DSelect", dtype_of<T>, {.run = &run_max_pool_select<T>}), ...);
}

}  // namespace

void max_pool_of_activated(const KernelArguments& arguments, const TensorView& x, const TensorView* bias, bool relu,
                           const Pool2DAttributes& window) {
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  const TensorView* const index = arguments.outputs.size() > 1 ? &arguments.outputs[1] : nullptr;
  const std::array<TensorView, 2> inputs = {x, bias != nullptr ? *bias : x};
  with_floating_dtype(x.spec.dtype, [&](auto type) {
    using T = decltype(type);
    with_packs<T>(inputs, arguments.outputs, [&](auto pack, auto integer) {
      using Index = decltype(integer);
      constexpr int width = decltype(pack)::value;
      const PoolShape<Index> shape(x.shape(), window, width);
      const PoolPlaces<Index> places(shape.rows.output, shape.columns.output, shape.channels);
      const BeforePooling<T, width> before{bias != nullptr ? bias->as<const Pack<T, width>>() : nullptr, relu,
                                           static_cast<int>(no_cell(window))};
      launch(stream_of(arguments), "bias, activation and MaxPool2D", one_thread_each(shape.output_size()),
             &max_pool<T, std::uint8_t, width, Index>, x.as<const Pack<T, width>>(), before, y.as<Pack<T, width>>(),
             index != nullptr ? index->as<Pack<std::uint8_t, width>>() : nullptr, shape.output_size(), shape, places);
    });
  });
}

void register_max_pooling_kernels(KernelTable& table) { add_all<float, double, Half, BFloat16>(table); }

}  // namespace rhyton::gpu
