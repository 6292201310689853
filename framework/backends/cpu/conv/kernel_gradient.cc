#include <array>

#include <rhyton/framework/backends/cpu/conv/depthwise.h>
#include <rhyton/framework/backends/cpu/conv/geometry.h>
#include <rhyton/framework/backends/cpu/conv/winograd.h>
#include <rhyton/framework/backends/cpu/matmul/panel.h>

namespace rhyton::cpu {
namespace {

// Pixels that are summed before a tile's results are written to memory: their part of dy stays in the caches for all
// tiles.
constexpr std::int64_t max_block = 256;

ConvGeometry geometry_of(const Op& op, const Shape& x, const Shape& kernel) {
  return ConvGeometry(x, kernel, static_cast<const Conv2DKernelGradientOp&>(op).window());
}

template <class T>
bool reads_gradient_in_place(const ConvGeometry& geometry) {
  return geometry.group_filters % vector_length<T> == 0 && !is_worth_a_copy<T>(geometry.depth(), geometry.filters);
}

template <class T>
class KernelGradient {
 public:
  KernelGradient(const ConvGeometry& geometry, void* workspace)
      : geometry_(geometry), cutter_(workspace), source_(geometry, cutter_) {
    row_offsets_ = cutter_.take<std::int64_t>(geometry.depth());
    if (!reads_gradient_in_place<T>(geometry)) {
      const std::int64_t widest = static_cast<std::int64_t>(max_vectors) * vector_length<T>;
      buffer_ = cutter_.take<T>(std::min(max_block, source_.max_chunk_positions()) *
                                std::min(widest, Strips<T>(geometry.group_filters).padded()));
    }
  }

  std::size_t workspace_bytes() const { return cutter_.used(); }

  void run(const T* x, const T* dy, T* gradient, bool accumulate) {
    if (!accumulate && geometry_.images * geometry_.pixels() == 0) {
      std::fill(gradient, gradient + geometry_.depth() * geometry_.filters, T());
      return;
    }
    list_rows();
    source_.for_each_chunk(
        x, [&](const T* base, const std::int64_t* offsets, std::int64_t positions, std::int64_t first_pixel) {
          for_each_tile(positions, max_block, [&](std::int64_t first, int block) {
            const T* const block_dy = dy + (first_pixel + first) * geometry_.filters;
            add_block(base, offsets + first, block, block_dy, gradient, accumulate);
            accumulate = true;
          });
        });
  }

 private:
  /// The offset in the window for each row of the gradient (tap, channel).
  void list_rows() {
    std::int64_t* offset = row_offsets_;
    for (std::int64_t row = 0; row < geometry_.rows.window; ++row) {
      for (std::int64_t column = 0; column < geometry_.columns.window; ++column) {
        const std::int64_t tap =
            row * geometry_.rows.dilation * source_.line() + column * geometry_.columns.dilation * geometry_.channels;
        for (std::int64_t channel = 0; channel < geometry_.group_channels; ++channel) *offset++ = tap + channel;
      }
    }
  }

  void add_block(const T* base, const std::int64_t* offsets, std::int64_t block, const T* dy, T* gradient,
                 bool accumulate) {
    for (std::int64_t group = 0; group < geometry_.groups; ++group) {
      Strips<T>(geometry_.group_filters).for_each([&](std::int64_t filter, int filters, int vectors) {
        const std::int64_t place = group * geometry_.group_filters + filter;
        PositionTile<T> tile = {.offsets = offsets,
                                .positions = block,
                                .panel = dy + place,
                                .panel_stride = geometry_.filters,
                                .result = {.columns = filters, .accumulate = accumulate}};
        if (buffer_ != nullptr) {
          tile.panel = buffer_;
          tile.panel_stride = static_cast<std::int64_t>(vectors) * vector_length<T>;
          fill_panel<T>(buffer_, tile.panel_stride, dy + place, block, filters, geometry_.filters, 1);
        }
        const T* const images = base + group * geometry_.group_channels;
        for_each_tile(geometry_.depth(), max_rows(vectors), [&](std::int64_t first, int rows) {
          std::array<const T*, max_tile_rows> from;
          std::array<T*, max_tile_rows> to;
          for (int row = 0; row < rows; ++row) {
            from[static_cast<std::size_t>(row)] = images + row_offsets_[first + row];
            to[static_cast<std::size_t>(row)] = gradient + (first + row) * geometry_.filters + place;
          }
          position_tile_function<T>(rows, vectors)(tile, from.data(), to.data());
        });
      });
    }
  }

  const ConvGeometry& geometry_;
  WorkspaceCutter cutter_;
  ConvSource<T> source_;
  std::int64_t* row_offsets_ = nullptr;
  T* buffer_ = nullptr;
};

ConvAlgorithm algorithm_of(const Op& op) { return static_cast<const Conv2DKernelGradientOp&>(op).algorithm(); }

/// Whether it is computed by minimal filtering.
bool is_winograd(const Op& op, const ConvGeometry& geometry) {
  return algorithm_of(op) != ConvAlgorithm::direct && fits_winograd(geometry);
}

template <class T>
std::size_t workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  const ConvGeometry geometry = geometry_of(op, inputs[0].shape, outputs[0].shape);
  if (is_winograd(op, geometry)) return WinogradKernelDerivative<T>(geometry, algorithm_of(op)).workspace_bytes();
  if (geometry.is_depthwise()) return depthwise_kernel_gradient_workspace_bytes(geometry);
  return KernelGradient<T>(geometry, nullptr).workspace_bytes();
}

template <class T>
void run(const KernelArguments& arguments) {
  const ConvGeometry geometry = geometry_of(*arguments.op, arguments.inputs[0].shape(), arguments.outputs[0].shape());
  if (is_winograd(*arguments.op, geometry)) {
    WinogradKernelDerivative<T>(geometry, algorithm_of(*arguments.op))
        .run(arguments.inputs[0].as<T>(), arguments.inputs[1].as<T>(), arguments.outputs[0].as<T>(),
             arguments.accumulate, arguments.workspace);
    return;
  }
  if (geometry.is_depthwise()) {
    depthwise_kernel_gradient(geometry, arguments.inputs[0].as<T>(), arguments.inputs[1].as<T>(),
                              arguments.outputs[0].as<T>(), arguments.accumulate, arguments.workspace);
    return;
  }
  KernelGradient<T>(geometry, arguments.workspace)
      .run(arguments.inputs[0].as<T>(), arguments.inputs[1].as<T>(), arguments.outputs[0].as<T>(),
           arguments.accumulate);
}

}  // namespace

template <class T>
Kernel conv_kernel_gradient_kernel() {
  return {.run = &run<T>, .workspace_bytes = &workspace_bytes<T>};
}
template Kernel conv_kernel_gradient_kernel<float>();
template Kernel conv_kernel_gradient_kernel<double>();

void register_conv_kernel_gradient_kernels(KernelTable& table) {
  table.add("Conv2DKernelGradient", DType::float32, conv_kernel_gradient_kernel<float>());
  table.add("Conv2DKernelGradient", DType::float64, conv_kernel_gradient_kernel<double>());
}

}  // namespace rhyton::cpu
