#include <rhyton/framework/ops/conv.h>

#include <array>

#include <rhyton/framework/backends/cpu/conv_geometry.h>
#include <rhyton/framework/backends/cpu/panel.h>
#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

const Conv2DAttributes& window_of(const Op& op) {
  return op.name() == "Conv2D" ? static_cast<const Conv2DOp&>(op).window()
                               : static_cast<const FusedConv2DOp&>(op).window();
}

/// Whether Keras's kernel, [tap, channel, filter], can be read as it lies: its rows are whole registers.
template <class T>
bool reads_kernel_in_place(const ConvGeometry& geometry) {
  return geometry.group_filters % vector_length<T> == 0 && geometry.filters <= 2 * most_vectors * vector_length<T>;
}

template <class T>
std::size_t packed_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const ConvGeometry geometry(inputs[0].shape, inputs[1].shape, window_of(op));
  if (geometry.is_depthwise() || reads_kernel_in_place<T>(geometry)) return 0;
  const std::int64_t padded = Strips<T>(geometry.group_filters).padded();
  return static_cast<std::size_t>(geometry.groups * geometry.depth() * padded) * sizeof(T);
}

template <class T>
void pack(const KernelArguments& arguments) {
  const ConvGeometry geometry(arguments.inputs[0].shape(), arguments.inputs[1].shape(), window_of(*arguments.op));
  const T* kernel = arguments.inputs[1].as<T>();
  T* to = static_cast<T*>(arguments.workspace);
  const Strips<T> strips(geometry.group_filters);
  for (std::int64_t group = 0; group < geometry.groups; ++group) {
    strips.for_each([&](std::int64_t filter, int filters, int vectors) {
      const std::int64_t width = static_cast<std::int64_t>(vectors) * vector_length<T>;
      fill_panel<T>(to + geometry.depth() * (group * strips.padded() + filter), width,
                    kernel + group * geometry.group_filters + filter, geometry.depth(), filters, geometry.filters, 1);
    });
  }
}

template <class T>
std::size_t workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const ConvGeometry geometry(inputs[0].shape, inputs[1].shape, window_of(op));
  WorkspaceCutter cutter(nullptr);
  ConvSource<T> source(geometry, cutter);
  return cutter.used();
}

/// What stays the same for all tiles of a pass.
template <class T>
struct Pass {
  const ConvGeometry& geometry;
  const T* kernel;
  const T* packed;
  T* y;
  TileResult<T> result;
};

/// A tile's sum over the window of one group's filters from `filter` on.
template <class T>
RowTile<T> window_tile(const Pass<T>& pass, std::int64_t line, std::int64_t group, std::int64_t filter, int filters,
                       int vectors) {
  const ConvGeometry& geometry = pass.geometry;
  RowTile<T> tile;
  if (pass.packed == nullptr) {
    tile.panel = pass.kernel + group * geometry.group_filters + filter;
    tile.panel_stride = geometry.filters;
  } else {
    const std::int64_t padded = Strips<T>(geometry.group_filters).padded();
    tile.panel = pass.packed + geometry.depth() * (group * padded + filter);
    tile.panel_stride = static_cast<std::int64_t>(vectors) * vector_length<T>;
  }
  tile.outer = geometry.rows.window;
  tile.row_outer = geometry.rows.dilation * line;
  tile.panel_outer = geometry.columns.window * geometry.group_channels * tile.panel_stride;
  if (geometry.columns.dilation == 1 && geometry.groups == 1) {
    // A line of the window is contiguous, in the images as in the kernel.
    tile.depth = geometry.columns.window * geometry.channels;
  } else {
    tile.inner = geometry.columns.window;
    tile.row_inner = geometry.columns.dilation * geometry.channels;
    tile.panel_inner = geometry.group_channels * tile.panel_stride;
    tile.depth = geometry.group_channels;
  }
  tile.result = pass.result;
  tile.result.columns = filters;
  if (tile.result.bias != nullptr) tile.result.bias += group * geometry.group_filters + filter;
  return tile;
}

template <class T>
void convolve(const Pass<T>& pass, ConvSource<T>& source, const T* x) {
  const ConvGeometry& geometry = pass.geometry;
  source.for_each_chunk(
      x, [&](const T* base, const std::int64_t* offsets, std::int64_t positions, std::int64_t first_pixel) {
        for (std::int64_t group = 0; group < geometry.groups; ++group) {
          Strips<T>(geometry.group_filters).for_each([&](std::int64_t filter, int filters, int vectors) {
            const RowTile<T> tile = window_tile(pass, source.line(), group, filter, filters, vectors);
            const T* const images = base + group * geometry.group_channels;
            T* const y = pass.y + first_pixel * geometry.filters + group * geometry.group_filters + filter;
            for_each_tile(positions, most_rows(vectors), [&](std::int64_t first, int rows) {
              std::array<const T*, 12> from;
              std::array<T*, 12> to;
              for (int row = 0; row < rows; ++row) {
                from[static_cast<std::size_t>(row)] = images + offsets[first + row];
                to[static_cast<std::size_t>(row)] = y + (first + row) * geometry.filters;
              }
              row_tile_function<T>(rows, vectors)(tile, from.data(), to.data());
            });
          });
        }
      });
}

template <class T>
void convolve_depthwise(const Pass<T>& pass, ConvSource<T>& source, const T* x) {
  const ConvGeometry& geometry = pass.geometry;
  const std::int64_t multiplier = geometry.group_filters;
  source.for_each_chunk(
      x, [&](const T* base, const std::int64_t* offsets, std::int64_t positions, std::int64_t first_pixel) {
        for (std::int64_t i = 0; i < positions; ++i) {
          T* const __restrict y = pass.y + (first_pixel + i) * geometry.filters;
          for (std::int64_t filter = 0; filter < geometry.filters; ++filter) {
            y[filter] = pass.result.bias == nullptr ? T() : pass.result.bias[filter];
          }
          for (std::int64_t tap = 0; tap < geometry.taps(); ++tap) {
            const T* const window = base + offsets[i] +
                                    tap / geometry.columns.window * geometry.rows.dilation * source.line() +
                                    tap % geometry.columns.window * geometry.columns.dilation * geometry.channels;
            const T* const weights = pass.kernel + tap * geometry.filters;
            if (multiplier == 1) {
              for (std::int64_t channel = 0; channel < geometry.channels; ++channel) {
                y[channel] += window[channel] * weights[channel];
              }
            } else {
              for (std::int64_t filter = 0; filter < geometry.filters; ++filter) {
                y[filter] += window[filter / multiplier] * weights[filter];
              }
            }
          }
          if (pass.result.relu) {
            for (std::int64_t filter = 0; filter < geometry.filters; ++filter)
              y[filter] = y[filter] < T() ? T() : y[filter];
          }
        }
      });
}

template <class T>
void run(const KernelArguments& arguments) {
  const ConvGeometry geometry(arguments.inputs[0].shape(), arguments.inputs[1].shape(), window_of(*arguments.op));
  if (arguments.outputs[0].size() == 0) return;
  WorkspaceCutter cutter(arguments.workspace);
  ConvSource<T> source(geometry, cutter);
  Pass<T> pass = {
      geometry, arguments.inputs[1].as<T>(), static_cast<const T*>(arguments.packed), arguments.outputs[0].as<T>(), {}};
  if (arguments.op->name() == "FusedConv2D") {
    pass.result.relu = arguments.attributes<FusedConv2DOp>().activation() == Epilogue::relu;
    if (arguments.inputs.size() > 2) pass.result.bias = arguments.inputs[2].as<T>();
  }
  if (geometry.is_depthwise()) {
    convolve_depthwise(pass, source, arguments.inputs[0].as<T>());
  } else {
    convolve(pass, source, arguments.inputs[0].as<T>());
  }
}

template <class T>
void register_for(KernelTable& table) {
  const Kernel kernel = {
      .run = &run<T>, .workspace_bytes = &workspace_bytes<T>, .packed_bytes = &packed_bytes<T>, .pack = &pack<T>};
  table.add("Conv2D", dtype_of<T>, kernel);
  table.add("FusedConv2D", dtype_of<T>, kernel);
}

}  // namespace

void register_conv_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
  register_conv_input_gradient_kernels(table);
  register_conv_kernel_gradient_kernels(table);
}

}  // namespace rhyton::cpu
