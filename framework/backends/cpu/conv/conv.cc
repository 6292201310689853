#include <rhyton/framework/ops/conv.h>

#include <rhyton/framework/backends/cpu/conv/depthwise.h>
#include <rhyton/framework/backends/cpu/conv/tiles.h>
#include <rhyton/framework/backends/cpu/conv/winograd.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/ops/op_cast.h>
#include <rhyton/framework/ops/scaled_conv.h>

namespace rhyton::cpu {
namespace {

const Conv2DAttributes& window_of(const Op& op) {
  if (const auto* conv = op_cast<Conv2DOp>(op)) return conv->window();
  if (const auto* fused = op_cast<FusedConv2DOp>(op)) return fused->window();
  return static_cast<const ScaledConv2DOp&>(op).window();
}

ConvAlgorithm algorithm_of(const Op& op) {
  if (const auto* fused = op_cast<FusedConv2DOp>(op)) return fused->algorithm();
  if (const auto* scaled = op_cast<ScaledConv2DOp>(op)) return scaled->algorithm();
  return ConvAlgorithm::direct;
}

/// What follows the sums of the op.
template <class T>
TileResult<T> result_of(const KernelArguments& arguments) {
  TileResult<T> result;
  const auto row = [&](std::size_t input) { return arguments.inputs[input].as<T>(); };
  if (const auto* fused = op_cast<FusedConv2DOp>(*arguments.op)) {
    result.relu = fused->activation() == Epilogue::relu;
    if (arguments.inputs.size() > 2) result.bias = row(2);
  } else if (const auto* scaled = op_cast<ScaledConv2DOp>(*arguments.op)) {
    const Epilogue activation = scaled->activation();
    result.relu = activation != Epilogue::none;
    if (activation == Epilogue::relu6) result.highest = T(6);
    result.scale = row(2);
    result.bias = row(3);
  }
  return result;
}

/// Whether it is computed by minimal filtering.
bool is_winograd(const Op& op, const ConvGeometry& geometry) {
  return algorithm_of(op) != ConvAlgorithm::direct && fits_winograd(geometry);
}

template <class T>
std::size_t packed_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const ConvGeometry geometry(inputs[0].shape, inputs[1].shape, window_of(op));
  if (is_winograd(op, geometry)) return WinogradForward<T>(geometry, algorithm_of(op)).packed_bytes();
  return direct_packed_bytes<T>(geometry);
}

template <class T>
void pack(const KernelArguments& arguments) {
  const ConvGeometry geometry(arguments.inputs[0].shape(), arguments.inputs[1].shape(), window_of(*arguments.op));
  const T* const kernel = arguments.inputs[1].as<T>();
  T* const to = static_cast<T*>(arguments.workspace);
  if (is_winograd(*arguments.op, geometry)) {
    WinogradForward<T>(geometry, algorithm_of(*arguments.op)).pack(kernel, to);
  } else {
    pack_direct<T>(geometry, kernel, to);
  }
}

template <class T>
std::size_t workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const ConvGeometry geometry(inputs[0].shape, inputs[1].shape, window_of(op));
  if (is_winograd(op, geometry)) return WinogradForward<T>(geometry, algorithm_of(op)).workspace_bytes();
  if (geometry.is_depthwise()) return depthwise_workspace_bytes(geometry);
  WorkspaceCutter cutter(nullptr);
  ConvSource<T> source(geometry, cutter);
  return cutter.used();
}

/// The convolution for strips [first, end) of the filters of all groups.
template <class T>
void convolve(const DirectConv<T>& conv, ConvSource<T>& source, const T* x, std::int64_t first, std::int64_t end) {
  const ConvGeometry& geometry = conv.geometry;
  source.for_each_chunk(
      x, [&](const T* base, const std::int64_t* offsets, std::int64_t positions, std::int64_t first_pixel) {
        std::int64_t strip = 0;
        for (std::int64_t group = 0; group < geometry.groups; ++group) {
          Strips<T>(geometry.group_filters).for_each([&](std::int64_t filter, int filters, int vectors) {
            const std::int64_t own = strip++;
            if (own < first || own >= end) return;
            const RowTile<T> tile = window_tile(conv, source.line(), group, filter, filters, vectors);
            const T* const images = base + group * geometry.group_channels;
            T* const y = conv.y + first_pixel * geometry.filters + group * geometry.group_filters + filter;
            convolve_positions(tile, vectors, images, offsets, positions, y, geometry.filters);
          });
        }
      });
}

/// The strips of the filters of all groups.
template <class T>
std::int64_t strips_of(const ConvGeometry& geometry) {
  return geometry.groups * Strips<T>(geometry.group_filters).count;
}

/// Whether a piece is some of the filters, not some of the rows: one image with few pixels.
bool is_divided_by_filters(const ConvGeometry& geometry) {
  return geometry.images == 1 && conv_pieces(geometry) < 2 && !geometry.is_depthwise();
}

template <class T>
std::int64_t pieces(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const ConvGeometry geometry(inputs[0].shape, inputs[1].shape, window_of(op));
  return is_divided_by_filters(geometry) ? strips_of<T>(geometry) : conv_pieces(geometry);
}

template <class T>
void run(const KernelArguments& arguments) {
  const ConvGeometry whole(arguments.inputs[0].shape(), arguments.inputs[1].shape(), window_of(*arguments.op));
  ConvGeometry geometry = whole;
  (is_divided_by_filters(whole) ? geometry.filter_share : geometry.row_share) = {arguments.piece, arguments.pieces};
  if (arguments.outputs[0].size() == 0) return;
  const TileResult<T> result = result_of<T>(arguments);
  const auto* const packed = static_cast<const T*>(arguments.packed);
  if (is_winograd(*arguments.op, geometry)) {
    WinogradForward<T>(geometry, algorithm_of(*arguments.op))
        .run(arguments.inputs[0].as<T>(), packed, result, arguments.outputs[0].as<T>(), arguments.workspace);
    return;
  }
  if (geometry.is_depthwise()) {
    depthwise_forward(geometry, arguments.inputs[0].as<T>(), arguments.inputs[1].as<T>(), result,
                      arguments.outputs[0].as<T>(), arguments.workspace);
    return;
  }
  WorkspaceCutter cutter(arguments.workspace);
  ConvSource<T> source(geometry, cutter);
  const DirectConv<T> conv = {geometry, arguments.inputs[1].as<T>(), packed, arguments.outputs[0].as<T>(), result};
  const std::int64_t strips = strips_of<T>(geometry);
  convolve(conv, source, arguments.inputs[0].as<T>(), geometry.filter_share.begin(strips),
           geometry.filter_share.end(strips));
}

template <class T>
void register_for(KernelTable& table) {
  table.add("Conv2D", dtype_of<T>, conv_kernel<T>());
  table.add("FusedConv2D", dtype_of<T>, conv_kernel<T>());
  table.add("ScaledConv2D", dtype_of<T>, conv_kernel<T>());
}

}  // namespace

template <class T>
Kernel conv_kernel() {
  return {.run = &run<T>,
          .workspace_bytes = &workspace_bytes<T>,
          .packed_bytes = &packed_bytes<T>,
          .pack = &pack<T>,
          .pieces = &pieces<T>};
}
template Kernel conv_kernel<float>();
template Kernel conv_kernel<double>();

void register_conv_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
  register_conv_input_gradient_kernels(table);
  register_conv_kernel_gradient_kernels(table);
}

}  // namespace rhyton::cpu
