#include <rhyton/framework/ops/conv_max_pool.h>

#include <array>

#include <rhyton/framework/backends/cpu/conv/max_pool_geometry.h>
#include <rhyton/framework/backends/cpu/conv/tiles.h>
#include <rhyton/framework/backends/cpu/conv/winograd.h>
#include <rhyton/framework/backends/cpu/pooling/max_pool.h>
#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

ConvMaxPoolGeometry geometry_of(const Op& op, const Shape& x, const Shape& kernel) {
  const auto& fused = static_cast<const FusedConv2DMaxPoolOp&>(op);
  return {x, kernel, fused.convolution().window(), fused.pool().window()};
}

bool is_cut(const KernelArguments& arguments) {
  return arguments.attributes<FusedConv2DMaxPoolOp>().convolution().activation() == Epilogue::relu;
}

/// Null if the op has no index.
std::uint8_t* index_of(const KernelArguments& arguments) {
  return arguments.outputs.size() > 1 ? arguments.outputs[1].as<std::uint8_t>() : nullptr;
}

std::uint8_t* moved(std::uint8_t* index, std::int64_t count) { return index != nullptr ? index + count : nullptr; }

template <class T>
void pool(const PoolGeometry& geometry, const T* x, T* y, std::uint8_t* index, bool is_cut) {
  if (is_cut) {
    max_pool<T, std::uint8_t, true>(geometry, x, y, index);
  } else {
    max_pool<T, std::uint8_t, false>(geometry, x, y, index);
  }
}

/// Computes a band of the convolution at a time, the rows under one row of windows, and pools it while it is in the L1
/// cache. Cells outside of all windows are not computed.
template <class T>
class BandedConvMaxPool {
 public:
  BandedConvMaxPool(const ConvMaxPoolGeometry& geometry, const Pool2DAttributes& pool, void* workspace)
      : geometry_(geometry),
        conv_(geometry.covered()),
        band_(Shape{1, geometry.pool.rows.window, conv_.columns.output, conv_.filters}, pool),
        cutter_(workspace),
        source_(conv_, cutter_, geometry.pool.rows.window) {
    results_ = cutter_.take<T>(band_.image_size());
  }

  std::size_t workspace_bytes() const { return cutter_.used(); }

  void run(const KernelArguments& arguments) {
    DirectConv<T> conv = {conv_, arguments.inputs[1].as<T>(), static_cast<const T*>(arguments.packed), results_, {}};
    if (arguments.inputs.size() > 2) conv.result.bias = arguments.inputs[2].as<T>();
    const bool cuts = is_cut(arguments);
    std::uint8_t* const index = index_of(arguments);
    const std::int64_t positions_in_band = geometry_.pool.rows.window * conv_.columns.output;
    const std::int64_t pooled_in_band = geometry_.pool.columns.output * conv_.filters;
    source_.for_each_chunk(arguments.inputs[0].as<T>(), [&](const T* base, const std::int64_t* offsets,
                                                            std::int64_t positions, std::int64_t first_pixel) {
      // Chunks are whole bands, and pixels are counted over covered ones only.
      std::int64_t band = first_pixel / positions_in_band;
      for (std::int64_t first = 0; first < positions; first += positions_in_band, ++band) {
        convolve_band(conv, base, offsets + first, positions_in_band);
        pool(band_, results_, arguments.outputs[0].as<T>() + band * pooled_in_band, moved(index, band * pooled_in_band),
             cuts);
      }
    });
  }

 private:
  void convolve_band(const DirectConv<T>& conv, const T* base, const std::int64_t* offsets, std::int64_t positions) {
    for (std::int64_t group = 0; group < conv_.groups; ++group) {
      Strips<T>(conv_.group_filters).for_each([&](std::int64_t filter, int filters, int vectors) {
        const RowTile<T> tile = window_tile(conv, source_.line(), group, filter, filters, vectors);
        convolve_positions(tile, vectors, base + group * conv_.group_channels, offsets, positions,
                           results_ + group * conv_.group_filters + filter, conv_.filters);
      });
    }
  }

  ConvMaxPoolGeometry geometry_;
  ConvGeometry conv_;
  PoolGeometry band_;
  WorkspaceCutter cutter_;
  ConvSource<T> source_;
  T* results_ = nullptr;
};

/// Runs one image after the other through the convolution's own kernel and the pooling.
template <class T>
class ImagewiseConvMaxPool {
 public:
  ImagewiseConvMaxPool(const ConvMaxPoolGeometry& geometry, const Op& op, const TensorSpec& x, const TensorSpec& kernel,
                       void* workspace)
      : convolution_(direct(static_cast<const FusedConv2DMaxPoolOp&>(op).convolution())),
        kernel_(conv_kernel<T>()),
        x_(x),
        y_{{1, geometry.conv.rows.output, geometry.conv.columns.output, geometry.conv.filters}, x.dtype},
        pooled_size_(geometry.pooled_pixels() * geometry.conv.filters),
        pool_(geometry.pool),
        cutter_(workspace) {
    x_.shape[0] = 1;
    pool_.images = 1;
    const std::array<TensorSpec, 2> inputs = {x_, kernel};
    results_ = cutter_.take<T>(y_.shape.size());
    workspace_ = cutter_.take<std::byte>(
        static_cast<std::int64_t>(kernel_.workspace_bytes(convolution_, inputs, std::span(&y_, 1))));
  }

  std::size_t workspace_bytes() const { return cutter_.used(); }

  void run(const KernelArguments& arguments) {
    std::array<TensorView, 3> inputs;
    std::copy(arguments.inputs.begin(), arguments.inputs.end(), inputs.begin());
    inputs[0].spec = x_;
    const TensorView output = {results_, y_};
    for (std::int64_t image = 0; image < arguments.outputs[0].shape()[0]; ++image) {
      inputs[0].data = arguments.inputs[0].as<T>() + image * x_.shape.size();
      kernel_.run({.op = &convolution_,
                   .inputs = std::span(inputs).first(arguments.inputs.size()),
                   .outputs = std::span(&output, 1),
                   .workspace = workspace_,
                   .packed = arguments.packed,
                   .first_sample = arguments.first_sample + image});
      pool(pool_, results_, arguments.outputs[0].as<T>() + image * pooled_size_,
           moved(index_of(arguments), image * pooled_size_), is_cut(arguments));
    }
  }

 private:
  static FusedConv2DOp direct(const FusedConv2DOp& convolution) {
    return FusedConv2DOp(convolution.activation(), convolution.window());
  }

  FusedConv2DOp convolution_;
  Kernel kernel_;
  TensorSpec x_;
  TensorSpec y_;
  std::int64_t pooled_size_;
  PoolGeometry pool_;
  WorkspaceCutter cutter_;
  T* results_ = nullptr;
  std::byte* workspace_ = nullptr;
};

const Pool2DAttributes& pool_of(const Op& op) { return static_cast<const FusedConv2DMaxPoolOp&>(op).pool().window(); }

ConvAlgorithm algorithm_of(const Op& op) {
  return static_cast<const FusedConv2DMaxPoolOp&>(op).convolution().algorithm();
}

/// Whether tiles of minimal filtering are pooled while they are in registers.
template <class T>
bool is_winograd(const Op& op, const ConvMaxPoolGeometry& geometry) {
  return algorithm_of(op) != ConvAlgorithm::direct && geometry.has_bands() &&
         WinogradForwardPooled<T>::fits(geometry.conv, geometry.pool);
}

template <class T>
std::size_t packed_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const ConvMaxPoolGeometry geometry = geometry_of(op, inputs[0].shape, inputs[1].shape);
  if (is_winograd<T>(op, geometry)) return WinogradForwardPooled<T>(geometry.conv, algorithm_of(op)).packed_bytes();
  return direct_packed_bytes<T>(geometry.conv);
}

template <class T>
void pack(const KernelArguments& arguments) {
  const ConvMaxPoolGeometry geometry =
      geometry_of(*arguments.op, arguments.inputs[0].shape(), arguments.inputs[1].shape());
  const T* const kernel = arguments.inputs[1].as<T>();
  T* const to = static_cast<T*>(arguments.workspace);
  if (is_winograd<T>(*arguments.op, geometry)) {
    WinogradForwardPooled<T>(geometry.conv, algorithm_of(*arguments.op)).pack(kernel, to);
  } else {
    pack_direct<T>(geometry.conv, kernel, to);
  }
}

template <class T>
std::size_t workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const ConvMaxPoolGeometry geometry = geometry_of(op, inputs[0].shape, inputs[1].shape);
  if (is_winograd<T>(op, geometry)) {
    return WinogradForwardPooled<T>(geometry.covered(), algorithm_of(op)).workspace_bytes();
  }
  if (geometry.has_bands()) return BandedConvMaxPool<T>(geometry, pool_of(op), nullptr).workspace_bytes();
  return ImagewiseConvMaxPool<T>(geometry, op, inputs[0], inputs[1], nullptr).workspace_bytes();
}

std::int64_t pieces(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const ConvMaxPoolGeometry geometry = geometry_of(op, inputs[0].shape, inputs[1].shape);
  return geometry.has_bands() ? conv_pieces(geometry.covered(), geometry.pool.rows.window) : 0;
}

template <class T>
void run(const KernelArguments& arguments) {
  if (arguments.outputs[0].size() == 0) return;
  ConvMaxPoolGeometry geometry = geometry_of(*arguments.op, arguments.inputs[0].shape(), arguments.inputs[1].shape());
  geometry.conv = geometry.conv.piece_of(arguments);
  if (is_winograd<T>(*arguments.op, geometry)) {
    TileResult<T> result;
    result.relu = is_cut(arguments);
    if (arguments.inputs.size() > 2) result.bias = arguments.inputs[2].as<T>();
    const ConvGeometry covered = geometry.covered();
    WinogradForwardPooled<T>(covered, algorithm_of(*arguments.op))
        .run(arguments.inputs[0].as<T>(), static_cast<const T*>(arguments.packed), result, arguments.outputs[0].as<T>(),
             index_of(arguments), arguments.workspace);
    return;
  }
  if (geometry.has_bands()) {
    BandedConvMaxPool<T>(geometry, pool_of(*arguments.op), arguments.workspace).run(arguments);
    return;
  }
  ImagewiseConvMaxPool<T>(geometry, *arguments.op, arguments.inputs[0].spec, arguments.inputs[1].spec,
                          arguments.workspace)
      .run(arguments);
}

template <class T>
void register_for(KernelTable& table) {
  table.add("FusedConv2DMaxPool", dtype_of<T>,
            {.run = &run<T>,
             .workspace_bytes = &workspace_bytes<T>,
             .packed_bytes = &packed_bytes<T>,
             .pack = &pack<T>,
             .pieces = &pieces});
}

}  // namespace

void register_conv_max_pool_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
  register_conv_max_pool_input_gradient_kernels(table);
  register_conv_max_pool_kernel_gradient_kernels(table);
}

}  // namespace rhyton::cpu
