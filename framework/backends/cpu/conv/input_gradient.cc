#include <array>

#include <rhyton/framework/backends/cpu/conv/depthwise.h>
#include <rhyton/framework/backends/cpu/conv/geometry.h>
#include <rhyton/framework/backends/cpu/conv/winograd.h>
#include <rhyton/framework/backends/cpu/matmul/panel.h>

namespace rhyton::cpu {
namespace {

// Each line of dx, for one column of the kernel at a time, is a product of pixels of dy with the transposed weights of
// that column, summed in registers over the kernel's rows that reach the line. No products for the padding are
// computed, whatever strides and dilation.

ConvGeometry geometry_of(const Op& op, const Shape& kernel, const Shape& dx) {
  return ConvGeometry(dx, kernel, static_cast<const Conv2DInputGradientOp&>(op).window());
}

ConvAlgorithm algorithm_of(const Op& op) { return static_cast<const Conv2DInputGradientOp&>(op).algorithm(); }

/// Whether it is computed by minimal filtering.
bool is_winograd(const Op& op, const ConvGeometry& geometry) {
  return algorithm_of(op) != ConvAlgorithm::direct && fits_winograd(geometry);
}

template <class T>
std::size_t packed_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  const ConvGeometry geometry = geometry_of(op, inputs[0].shape, outputs[0].shape);
  if (is_winograd(op, geometry)) return WinogradInputGradient<T>(geometry, algorithm_of(op)).packed_bytes();
  if (geometry.is_depthwise()) return 0;
  const std::int64_t padded = Strips<T>(geometry.group_channels).padded();
  return static_cast<std::size_t>(geometry.filters * geometry.taps() * padded) * sizeof(T);
}

/// The strips of all groups, one after the other; each contains the kernel's columns, rows, filters.
template <class T>
void pack(const KernelArguments& arguments) {
  const ConvGeometry geometry = geometry_of(*arguments.op, arguments.inputs[0].shape(), arguments.outputs[0].shape());
  const T* const kernel = arguments.inputs[0].as<T>();
  T* const packed = static_cast<T*>(arguments.workspace);
  if (is_winograd(*arguments.op, geometry)) {
    WinogradInputGradient<T>(geometry, algorithm_of(*arguments.op)).pack(kernel, packed);
    return;
  }
  const Strips<T> strips(geometry.group_channels);
  const std::int64_t depth = geometry.taps() * geometry.group_filters;
  for (std::int64_t group = 0; group < geometry.groups; ++group) {
    strips.for_each([&](std::int64_t channel, int channels, int vectors) {
      const std::int64_t width = static_cast<std::int64_t>(vectors) * vector_length<T>;
      T* to = packed + depth * (group * strips.padded() + channel);
      for (std::int64_t column = 0; column < geometry.columns.window; ++column) {
        for (std::int64_t row = 0; row < geometry.rows.window; ++row) {
          const std::int64_t tap = row * geometry.columns.window + column;
          const T* from =
              kernel + (tap * geometry.group_channels + channel) * geometry.filters + group * geometry.group_filters;
          fill_panel<T>(to, width, from, geometry.group_filters, channels, 1, geometry.filters);
          to += geometry.group_filters * width;
        }
      }
    });
  }
}

/// The part of dx that is computed at a time: several whole images, or some lines of one.
struct Chunk {
  static constexpr std::int64_t max_bytes = 128 * 1024;
  static constexpr std::int64_t max_positions = 1024;
  std::int64_t images = 1;
  std::int64_t lines = 1;

  Chunk(const ConvGeometry& geometry, std::size_t element) {
    const std::int64_t line_bytes =
        std::max<std::int64_t>(1, geometry.columns.input * geometry.channels * static_cast<std::int64_t>(element));
    const std::int64_t max_lines = std::max<std::int64_t>(1, max_bytes / line_bytes);
    lines = std::min(max_lines, geometry.rows.input);
    if (lines == geometry.rows.input) {
      images = std::min({max_lines / std::max<std::int64_t>(1, lines), geometry.images,
                         max_positions / std::max<std::int64_t>(1, geometry.columns.output)});
      images = std::max<std::int64_t>(1, images);
    }
  }
  std::int64_t positions(const ConvGeometry& geometry) const { return images * geometry.columns.output; }
};

template <class T>
std::size_t workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  const ConvGeometry geometry = geometry_of(op, inputs[0].shape, outputs[0].shape);
  if (is_winograd(op, geometry)) return WinogradInputGradient<T>(geometry, algorithm_of(op)).workspace_bytes();
  if (geometry.is_depthwise()) return depthwise_workspace_bytes(geometry);
  const Chunk chunk(geometry, sizeof(T));
  WorkspaceCutter cutter(nullptr);
  cutter.take<std::int64_t>(chunk.positions(geometry));
  cutter.take<std::int64_t>(chunk.positions(geometry));
  return cutter.used();
}

/// The kernel's rows that reach a line: first, first + step, …, and the output row of the first one.
struct Reach {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
  std::int64_t output = 0;

  Reach(const WindowAxis& rows, std::int64_t line) {
    std::int64_t previous = 0;
    for (std::int64_t row = 0; row < rows.window; ++row) {
      const std::int64_t place = line + rows.pad_before - row * rows.dilation;
      if (place < 0) break;
      if (place % rows.stride != 0 || place / rows.stride >= rows.output) continue;
      if (count == 0) {
        first = row;
        output = place / rows.stride;
      } else if (count == 1) {
        step = row - previous;
      }
      previous = row;
      ++count;
    }
  }
};

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

template <class T>
class InputGradient {
 public:
  InputGradient(const ConvGeometry& geometry, const KernelArguments& arguments)
      : geometry_(geometry),
        chunk_(geometry, sizeof(T)),
        packed_(static_cast<const T*>(arguments.packed)),
        dy_(arguments.inputs[1].as<T>()),
        dx_(arguments.outputs[0].as<T>()) {
    WorkspaceCutter cutter(arguments.workspace);
    dy_offsets_ = cutter.take<std::int64_t>(chunk_.positions(geometry));
    dx_offsets_ = cutter.take<std::int64_t>(chunk_.positions(geometry));
  }

  void run() {
    const std::int64_t lines = geometry_.rows.input;
    const std::int64_t line = geometry_.columns.input * geometry_.channels;
    const std::int64_t begin = geometry_.row_share.begin(lines);
    const std::int64_t end = geometry_.row_share.end(lines);
    for (std::int64_t image = 0; image < geometry_.images; image += chunk_.images) {
      const std::int64_t images = std::min(chunk_.images, geometry_.images - image);
      for (std::int64_t first = begin; first < end; first += chunk_.lines) {
        const std::int64_t count = std::min(chunk_.lines, end - first);
        T* const part = dx_ + (image * lines + first) * line;
        std::fill(part, part + images * count * line, T());
        for (std::int64_t column = 0; column < geometry_.columns.window; ++column) {
          const std::int64_t positions = list_positions(image, images, column);
          if (positions > 0) add_column(column, positions, first, first + count);
        }
      }
    }
  }

 private:
  /// Lists the pixels of dy, in its first row, that contribute to dx through this column of the kernel, and their
  /// positions in the first line.
  std::int64_t list_positions(std::int64_t image, std::int64_t images, std::int64_t column) {
    const WindowAxis& columns = geometry_.columns;
    const std::int64_t shift = column * columns.dilation - columns.pad_before;
    const std::int64_t first = std::max<std::int64_t>(0, -floor_divide(shift, columns.stride));
    const std::int64_t last = std::min(columns.output, floor_divide(columns.input - 1 - shift, columns.stride) + 1);
    std::int64_t count = 0;
    for (std::int64_t i = image; i < image + images; ++i) {
      for (std::int64_t pixel = first; pixel < last; ++pixel, ++count) {
        dy_offsets_[count] = (i * geometry_.pixels() + pixel) * geometry_.filters;
        dx_offsets_[count] =
            (i * geometry_.rows.input * columns.input + pixel * columns.stride + shift) * geometry_.channels;
      }
    }
    return count;
  }

  void add_column(std::int64_t column, std::int64_t positions, std::int64_t first_line, std::int64_t last_line) {
    const WindowAxis& rows = geometry_.rows;
    const std::int64_t filters = geometry_.group_filters;
    const Strips<T> strips(geometry_.group_channels);
    for (std::int64_t group = 0; group < geometry_.groups; ++group) {
      strips.for_each([&](std::int64_t channel, int channels, int vectors) {
        RowTile<T> tile;
        tile.depth = filters;
        tile.panel_stride = static_cast<std::int64_t>(vectors) * vector_length<T>;
        tile.result = {.columns = channels, .accumulate = true};
        const T* const panel = packed_ + geometry_.taps() * filters * (group * strips.padded() + channel);
        for (std::int64_t line = first_line; line < last_line; ++line) {
          const Reach reach(rows, line);
          if (reach.count == 0) continue;
          tile.outer = reach.count;
          tile.row_outer = -(reach.step * rows.dilation / rows.stride) * geometry_.columns.output * geometry_.filters;
          tile.panel = panel + (column * rows.window + reach.first) * filters * tile.panel_stride;
          tile.panel_outer = reach.step * filters * tile.panel_stride;
          const T* const dy = dy_ + reach.output * geometry_.columns.output * geometry_.filters + group * filters;
          T* const dx =
              dx_ + line * geometry_.columns.input * geometry_.channels + group * geometry_.group_channels + channel;
          for_each_tile(positions, max_rows(vectors), [&](std::int64_t first, int height) {
            std::array<const T*, max_tile_rows> from;
            std::array<T*, max_tile_rows> to;
            for (int row = 0; row < height; ++row) {
              from[static_cast<std::size_t>(row)] = dy + dy_offsets_[first + row];
              to[static_cast<std::size_t>(row)] = dx + dx_offsets_[first + row];
            }
            row_tile_function<T>(height, vectors)(tile, from.data(), to.data());
          });
        }
      });
    }
  }

  const ConvGeometry& geometry_;
  Chunk chunk_;
  const T* packed_;
  const T* dy_;
  T* dx_;
  std::int64_t* dy_offsets_ = nullptr;
  std::int64_t* dx_offsets_ = nullptr;
};

/// Lines of one image; 0 for several images, which are divided instead.
std::int64_t pieces(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  const ConvGeometry geometry = geometry_of(op, inputs[0].shape, outputs[0].shape);
  return geometry.images == 1 ? row_pieces(geometry.rows.input, geometry.columns.input) : 0;
}

template <class T>
void run(const KernelArguments& arguments) {
  const ConvGeometry geometry =
      geometry_of(*arguments.op, arguments.inputs[0].shape(), arguments.outputs[0].shape()).piece_of(arguments);
  if (is_winograd(*arguments.op, geometry)) {
    WinogradInputGradient<T>(geometry, algorithm_of(*arguments.op))
        .run(arguments.inputs[1].as<T>(), static_cast<const T*>(arguments.packed), arguments.outputs[0].as<T>(),
             arguments.workspace);
  } else if (geometry.is_depthwise()) {
    depthwise_input_gradient(geometry, arguments.inputs[0].as<T>(), arguments.inputs[1].as<T>(),
                             arguments.outputs[0].as<T>(), arguments.workspace);
  } else {
    InputGradient<T>(geometry, arguments).run();
  }
}

}  // namespace

template <class T>
Kernel conv_input_gradient_kernel() {
  return {.run = &run<T>,
          .workspace_bytes = &workspace_bytes<T>,
          .packed_bytes = &packed_bytes<T>,
          .pack = &pack<T>,
          .pieces = &pieces};
}
template Kernel conv_input_gradient_kernel<float>();
template Kernel conv_input_gradient_kernel<double>();

void register_conv_input_gradient_kernels(KernelTable& table) {
  table.add("Conv2DInputGradient", DType::float32, conv_input_gradient_kernel<float>());
  table.add("Conv2DInputGradient", DType::float64, conv_input_gradient_kernel<double>());
}

}  // namespace rhyton::cpu
