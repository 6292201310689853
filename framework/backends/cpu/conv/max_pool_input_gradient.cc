#include <array>

#include <rhyton/framework/backends/cpu/conv/max_pool_geometry.h>
#include <rhyton/framework/backends/cpu/conv/unpooled.h>
#include <rhyton/framework/backends/cpu/primitives/compress.h>
#include <rhyton/framework/backends/cpu/primitives/transpose.h>

namespace rhyton::cpu {
namespace {

// For each pixel of the convolution's output, the filters with a gradient there are listed. The lines of their weights,
// each times its gradient, add up to a line of dx under the window. One line of the kernel at a time, so that its
// weights stay in the L1 cache for several images.

// The maximum number of images whose lists are kept at a time, and of their pixels.
constexpr std::int64_t max_pixels = 512;

template <class T>
using SpreadFunction = void (*)(const T* weights, const std::int32_t* offsets, const T* gradients, std::int64_t count,
                                T* line);

/// line[j] += sum over i of gradients[i] weights[offsets[i] + j], for that many registers.
template <class T, int vectors>
void spread(const T* weights, const std::int32_t* offsets, const T* gradients, std::int64_t count, T* line) {
  Vector<T> sums[vectors];
  repeat<vectors>([&](auto v) __attribute__((always_inline)) { load<T>(sums[v], line + v * vector_length<T>); });
  for (std::int64_t i = 0; i < count; ++i) {
    const T* const from = weights + offsets[i];
    const T gradient = gradients[i];
    repeat<vectors>([&](auto v) __attribute__((always_inline)) {
      Vector<T> part;
      load<T>(part, from + v * vector_length<T>);
      sums[v] += gradient * part;
    });
  }
  repeat<vectors>([&](auto v) __attribute__((always_inline)) { store<T>(line + v * vector_length<T>, sums[v]); });
}

template <class T>
SpreadFunction<T> spread_function(int vectors) {
  static constexpr auto table = [] {
    std::array<SpreadFunction<T>, max_sums + 1> functions{};
    repeat<max_sums>([&](auto v) { functions[v + 1] = &spread<T, v + 1>; });
    return functions;
  }();
  return table[static_cast<std::size_t>(vectors)];
}

ConvMaxPoolGeometry geometry_of(const Op& op, const Shape& kernel, const Shape& dx) {
  const auto& gradient = static_cast<const Conv2DMaxPoolInputGradientOp&>(op);
  return {dx, kernel, gradient.window(), gradient.pool()};
}

/// Whether the line of a window is contiguous in dx, and its channels fill whole registers.
template <class T>
bool is_spread(const ConvMaxPoolGeometry& geometry) {
  const ConvGeometry& conv = geometry.conv;
  return conv.groups == 1 && conv.columns.dilation == 1 && conv.channels % vector_length<T> == 0;
}

template <class T>
class SpreadInputGradient {
 public:
  SpreadInputGradient(const ConvMaxPoolGeometry& geometry, void* workspace) : geometry_(geometry), cutter_(workspace) {
    const ConvGeometry& conv = geometry.conv;
    line_ = conv.columns.window * conv.channels;
    cells_ = geometry.pool.rows.window * geometry.pool.columns.window;
    const std::int64_t pixels = std::max<std::int64_t>(1, geometry.pooled_pixels());
    images_ = std::max<std::int64_t>(1, std::min(conv.images, max_pixels / pixels));
    // Lists are written a register at a time.
    const std::int64_t entries = images_ * pixels * conv.filters + cells_ * vector_length<T>;
    gradients_ = cutter_.take<T>(entries);
    offsets_ = cutter_.take<std::int32_t>(entries);
    counts_ = cutter_.take<std::int32_t>(images_ * pixels * cells_);
  }

  std::size_t workspace_bytes() const { return cutter_.used(); }

  /// `weights` is [kernel row, filter, kernel column, channel].
  void run(const T* weights, const T* dy, const std::uint8_t* index, T* dx) {
    const ConvGeometry& conv = geometry_.conv;
    const std::int64_t image_size = conv.rows.input * conv.columns.input * conv.channels;
    const std::int64_t pooled_size = geometry_.pooled_pixels() * conv.filters;
    for (std::int64_t image = 0; image < conv.images; image += images_) {
      const std::int64_t images = std::min(images_, conv.images - image);
      list(dy + image * pooled_size, index + image * pooled_size, images);
      T* const part = dx + image * image_size;
      std::fill(part, part + images * image_size, T());
      for (std::int64_t row = 0; row < conv.rows.window; ++row) {
        add_row(weights + row * conv.filters * line_, row, images, part);
      }
    }
  }

 private:
  /// Lists, for each window of the pooling and each of its cells, its gradients and the offsets of their filters'
  /// weights.
  void list(const T* dy, const std::uint8_t* index, std::int64_t images) {
    const std::int64_t filters = geometry_.conv.filters;
    const std::int64_t pixels = images * geometry_.pooled_pixels();
    std::int64_t used = 0;
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
      const T* const gradient = dy + pixel * filters;
      const std::uint8_t* const cell_of = index + pixel * filters;
      for (std::int64_t cell = 0; cell < cells_; ++cell) {
        const std::int64_t first = used;
        std::int64_t filter = 0;
        for (; filter + vector_length<T> <= filters; filter += vector_length<T>) {
          used += compress_matching<T>(gradient + filter, cell_of + filter, static_cast<std::uint8_t>(cell),
                                       static_cast<std::int32_t>(filter * line_), static_cast<std::int32_t>(line_),
                                       gradients_ + used, offsets_ + used);
        }
        for (; filter < filters; ++filter) {
          gradients_[used] = gradient[filter];
          offsets_[used] = static_cast<std::int32_t>(filter * line_);
          used += cell_of[filter] == cell ? 1 : 0;
        }
        counts_[pixel * cells_ + cell] = static_cast<std::int32_t>(used - first);
      }
    }
  }

  void add_row(const T* weights, std::int64_t kernel_row, std::int64_t images, T* dx) {
    const ConvGeometry& conv = geometry_.conv;
    const PoolGeometry& pool = geometry_.pool;
    const T* gradient = gradients_;
    const std::int32_t* offset = offsets_;
    const std::int32_t* count = counts_;
    for (std::int64_t image = 0; image < images; ++image, dx += conv.rows.input * conv.columns.input * conv.channels) {
      for (std::int64_t row = 0; row < pool.rows.output; ++row) {
        const std::int64_t top = row * pool.rows.stride - pool.rows.pad_before;
        for (std::int64_t column = 0; column < pool.columns.output; ++column) {
          const std::int64_t left = column * pool.columns.stride - pool.columns.pad_before;
          for (std::int64_t cell_row = 0; cell_row < pool.rows.window; ++cell_row) {
            for (std::int64_t cell_column = 0; cell_column < pool.columns.window; ++cell_column, ++count) {
              const std::int64_t entries = *count;
              if (entries > 0) {
                add_pixel(weights, offset, gradient, entries, kernel_row, top + cell_row, left + cell_column, dx);
              }
              gradient += entries;
              offset += entries;
            }
          }
        }
      }
    }
  }

  /// Adds the contributions of the listed filters from one pixel of the convolution's output, through one row of the
  /// kernel.
  void add_pixel(const T* weights, const std::int32_t* offsets, const T* gradients, std::int64_t count,
                 std::int64_t kernel_row, std::int64_t row, std::int64_t column, T* dx) {
    const ConvGeometry& conv = geometry_.conv;
    const std::int64_t y = row * conv.rows.stride - conv.rows.pad_before + kernel_row * conv.rows.dilation;
    if (y < 0 || y >= conv.rows.input) return;
    const std::int64_t x = column * conv.columns.stride - conv.columns.pad_before;
    const std::int64_t first = std::max<std::int64_t>(0, -x);
    const std::int64_t last = std::min(conv.columns.window, conv.columns.input - x);
    T* const line = dx + (y * conv.columns.input + x + first) * conv.channels;
    const T* const from = weights + first * conv.channels;
    for_each_tile((last - first) * conv.channels / vector_length<T>, max_sums, [&](std::int64_t vector, int vectors) {
      const std::int64_t place = vector * vector_length<T>;
      spread_function<T>(vectors)(from + place, offsets, gradients, count, line + place);
    });
  }

  ConvMaxPoolGeometry geometry_;
  WorkspaceCutter cutter_;
  std::int64_t line_ = 0;
  std::int64_t cells_ = 0;
  std::int64_t images_ = 1;
  T* gradients_ = nullptr;
  std::int32_t* offsets_ = nullptr;
  std::int32_t* counts_ = nullptr;
};

Conv2DInputGradientOp dense_op(const Op& op, const Shape& dx) {
  return {dx[1], dx[2], static_cast<const Conv2DMaxPoolInputGradientOp&>(op).window()};
}

template <class T>
std::size_t workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  const ConvMaxPoolGeometry geometry = geometry_of(op, inputs[0].shape, outputs[0].shape);
  if (is_spread<T>(geometry)) return SpreadInputGradient<T>(geometry, nullptr).workspace_bytes();
  return Unpooled<T>(geometry, dense_op(op, outputs[0].shape), outputs[0], inputs[0], nullptr).workspace_bytes();
}

template <class T>
std::size_t packed_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  const ConvMaxPoolGeometry geometry = geometry_of(op, inputs[0].shape, outputs[0].shape);
  if (is_spread<T>(geometry)) return inputs[0].bytes();
  const Conv2DInputGradientOp dense = dense_op(op, outputs[0].shape);
  return conv_input_gradient_kernel<T>().packed_bytes(dense, inputs, outputs);
}

template <class T>
void pack(const KernelArguments& arguments) {
  const TensorView& kernel = arguments.inputs[0];
  const ConvMaxPoolGeometry geometry = geometry_of(*arguments.op, kernel.shape(), arguments.outputs[0].shape());
  if (!is_spread<T>(geometry)) {
    const Conv2DInputGradientOp dense = dense_op(*arguments.op, arguments.outputs[0].shape());
    KernelArguments dense_arguments = arguments;
    dense_arguments.op = &dense;
    conv_input_gradient_kernel<T>().pack(dense_arguments);
    return;
  }
  const ConvGeometry& conv = geometry.conv;
  const std::int64_t line = conv.columns.window * conv.channels;
  for (std::int64_t row = 0; row < conv.rows.window; ++row) {
    const std::int64_t first = row * line * conv.filters;
    transpose_matrix<T>(kernel.as<T>() + first, conv.filters, line, conv.filters,
                        static_cast<T*>(arguments.workspace) + first, line);
  }
}

template <class T>
void run(const KernelArguments& arguments) {
  const TensorView& kernel = arguments.inputs[0];
  const TensorView& dx = arguments.outputs[0];
  const ConvMaxPoolGeometry geometry = geometry_of(*arguments.op, kernel.shape(), dx.shape());
  const T* const dy = arguments.inputs[1].as<T>();
  const auto* const index = arguments.inputs[2].as<std::uint8_t>();
  if (is_spread<T>(geometry)) {
    SpreadInputGradient<T>(geometry, arguments.workspace)
        .run(static_cast<const T*>(arguments.packed), dy, index, dx.as<T>());
    return;
  }
  const Conv2DInputGradientOp dense = dense_op(*arguments.op, dx.shape());
  Unpooled<T> unpooled(geometry, dense, dx.spec, kernel.spec, arguments.workspace);
  const std::int64_t image_size = dx.size() / std::max<std::int64_t>(1, geometry.conv.images);
  unpooled.for_each_image(dy, index, [&](std::int64_t image, const TensorView& full) {
    const TensorView inputs[] = {kernel, full};
    const TensorView outputs[] = {{dx.as<T>() + image * image_size, unpooled.one_image()}};
    unpooled.kernel().run({.op = &dense,
                           .inputs = inputs,
                           .outputs = outputs,
                           .workspace = unpooled.workspace(),
                           .packed = arguments.packed,
                           .first_sample = arguments.first_sample + image});
  });
}

template <class T>
void register_for(KernelTable& table) {
  table.add(
      "Conv2DMaxPoolInputGradient", dtype_of<T>,
      {.run = &run<T>, .workspace_bytes = &workspace_bytes<T>, .packed_bytes = &packed_bytes<T>, .pack = &pack<T>});
}

}  // namespace

void register_conv_max_pool_input_gradient_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
}

}  // namespace rhyton::cpu
