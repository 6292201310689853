#include <rhyton/framework/ops/pooling.h>

#include <algorithm>
#include <type_traits>

#include <rhyton/framework/backends/cpu/pooling/max_pool.h>
#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

template <class T, class Index>
void max_pool_select(const PoolGeometry& geometry, const T* x, const Index* index, T* y) {
  const std::int64_t channels = geometry.channels;
  for_each_window(geometry, [&](const PoolWindow& window, std::int64_t pixel) {
    const T* const image = x + window.image * geometry.image_size();
    for (std::int64_t i = pixel * channels; i < (pixel + 1) * channels; ++i) {
      const std::int64_t row = window.top + index[i] / geometry.columns.window;
      const std::int64_t column = window.left + index[i] % geometry.columns.window;
      // Another task may have sent an index of no cell.
      const bool is_inside = row >= 0 && row < geometry.rows.input && column >= 0 && column < geometry.columns.input;
      y[i] = is_inside ? image[(row * geometry.columns.input + column) * channels + i - pixel * channels] : T(0);
    }
  });
}

template <class T>
void average_pool(const PoolGeometry& geometry, const T* x, T* y) {
  const std::int64_t channels = geometry.channels;
  for_each_window(geometry, [&](const PoolWindow& window, std::int64_t pixel) {
    const T* const image = x + window.image * geometry.image_size();
    const T cells = static_cast<T>(window.cells());
    for_each_channel<T>(
        channels,
        [&](std::int64_t channel) {
          Vector<T> sum{};
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t) __attribute__((always_inline)) {
                Vector<T> cell;
                load<T>(cell, image + offset + channel);
                sum += cell;
              });
          store<T>(y + pixel * channels + channel, sum / cells);
        },
        [&](std::int64_t channel) {
          T sum = T();
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t) __attribute__((always_inline)) {
                sum += image[offset + channel];
              });
          y[pixel * channels + channel] = sum / cells;
        });
  });
}

template <class T>
void average_pool_gradient(const PoolGeometry& geometry, const T* dy, T* dx) {
  const std::int64_t channels = geometry.channels;
  std::fill(dx, dx + geometry.images * geometry.image_size(), T());
  for_each_window(geometry, [&](const PoolWindow& window, std::int64_t pixel) {
    T* const image = dx + window.image * geometry.image_size();
    const T cells = static_cast<T>(window.cells());
    for_each_channel<T>(
        channels,
        [&](std::int64_t channel) {
          Vector<T> share;
          load<T>(share, dy + pixel * channels + channel);
          share /= cells;
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t) __attribute__((always_inline)) {
                Vector<T> cell;
                load<T>(cell, image + offset + channel);
                store<T>(image + offset + channel, cell + share);
              });
        },
        [&](std::int64_t channel) {
          const T share = dy[pixel * channels + channel] / cells;
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t) __attribute__((always_inline)) {
                image[offset + channel] += share;
              });
        });
  });
}

/// Calls function with the type of the index's elements.
template <class Function>
void with_index_type(const TensorView& index, Function&& function) {
  if (index.spec.dtype == DType::uint8) {
    function(index.as<std::uint8_t>());
  } else {
    function(index.as<std::int32_t>());
  }
}

template <class T>
void run_max_pool(const KernelArguments& arguments) {
  const PoolGeometry geometry(arguments.inputs[0].shape(), arguments.attributes<MaxPool2DOp>().window());
  with_index_type(arguments.outputs[1], [&](auto* index) {
    max_pool<T, std::remove_pointer_t<decltype(index)>, false>(geometry, arguments.inputs[0].as<T>(),
                                                               arguments.outputs[0].as<T>(), index);
  });
}

template <class T>
void run_max_pool_gradient(const KernelArguments& arguments) {
  const PoolGeometry geometry(arguments.outputs[0].shape(), arguments.attributes<MaxPool2DGradientOp>().window());
  with_index_type(arguments.inputs[1], [&](auto* index) {
    max_pool_gradient(geometry, arguments.inputs[0].as<T>(), index, arguments.outputs[0].as<T>());
  });
}

template <class T>
void run_max_pool_select(const KernelArguments& arguments) {
  const PoolGeometry geometry(arguments.inputs[0].shape(), arguments.attributes<MaxPool2DSelectOp>().window());
  with_index_type(arguments.inputs[1], [&](auto* index) {
    max_pool_select(geometry, arguments.inputs[0].as<T>(), index, arguments.outputs[0].as<T>());
  });
}

template <class T>
void run_average_pool(const KernelArguments& arguments) {
  const PoolGeometry geometry(arguments.inputs[0].shape(), arguments.attributes<AveragePool2DOp>().window());
  average_pool(geometry, arguments.inputs[0].as<T>(), arguments.outputs[0].as<T>());
}

template <class T>
void run_average_pool_gradient(const KernelArguments& arguments) {
  const PoolGeometry geometry(arguments.outputs[0].shape(), arguments.attributes<AveragePool2DGradientOp>().window());
  average_pool_gradient(geometry, arguments.inputs[0].as<T>(), arguments.outputs[0].as<T>());
}

template <class T>
void register_for(KernelTable& table) {
  constexpr DType dtype = dtype_of<T>;
  table.add("MaxPool2D", dtype, {.run = &run_max_pool<T>});
  table.add("MaxPool2DGradient", dtype, {.run = &run_max_pool_gradient<T>});
  table.add("MaxPool2DSelect", dtype, {.run = &run_max_pool_select<T>});
  table.add("AveragePool2D", dtype, {.run = &run_average_pool<T>});
  table.add("AveragePool2DGradient", dtype, {.run = &run_average_pool_gradient<T>});
}

}  // namespace

void register_pooling_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
}

}  // namespace rhyton::cpu
