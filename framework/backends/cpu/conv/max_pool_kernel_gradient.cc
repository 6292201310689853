#include <array>
#include <limits>

#include <rhyton/framework/backends/cpu/conv/max_pool_geometry.h>
#include <rhyton/framework/backends/cpu/conv/unpooled.h>
#include <rhyton/framework/backends/cpu/primitives/bytes.h>
#include <rhyton/framework/backends/cpu/primitives/compress.h>
#include <rhyton/framework/backends/cpu/primitives/transpose.h>

namespace rhyton::cpu {
namespace {

// Each window of the pooling gives the gradient of one pixel, if any. For each filter these pixels are listed, and the
// windows of x under them are added up in registers, each times its gradient: with windows of 2 x 2 a quarter of the
// products of the dense form, and fewer where ReLU has set values to zero.

constexpr int max_sum_rows = 3;

// The offset of a window in an image; one more value for none.
using Offset = std::int32_t;
constexpr Offset nowhere = std::numeric_limits<Offset>::min();

template <class T>
using GatherFunction = void (*)(const T* x, std::int64_t row_stride, const Offset* offsets, const T* gradients,
                                std::int64_t count, T* sums, std::int64_t sum_stride);

/// sums[r][j] += sum over i of gradients[i] x[offsets[i] + r row_stride + j], for a block of registers.
template <class T, int rows, int vectors>
void gather_windows(const T* x, std::int64_t row_stride, const Offset* offsets, const T* gradients, std::int64_t count,
                    T* sums, std::int64_t sum_stride) {
  Vector<T> sum[rows][vectors];
  repeat<rows>([&](auto r) __attribute__((always_inline)) {
    repeat<vectors>([&](auto v) __attribute__((always_inline)) {
      load<T>(sum[r][v], sums + r * sum_stride + v * vector_length<T>);
    });
  });
  for (std::int64_t i = 0; i < count; ++i) {
    const T* const window = x + offsets[i];
    const T gradient = gradients[i];
    repeat<rows>([&](auto r) __attribute__((always_inline)) {
      repeat<vectors>([&](auto v) __attribute__((always_inline)) {
        Vector<T> part;
        load<T>(part, window + r * row_stride + v * vector_length<T>);
        sum[r][v] += gradient * part;
      });
    });
  }
  repeat<rows>([&](auto r) __attribute__((always_inline)) {
    repeat<vectors>([&](auto v) __attribute__((always_inline)) {
      store<T>(sums + r * sum_stride + v * vector_length<T>, sum[r][v]);
    });
  });
}

/// The widest block of that many rows.
constexpr int max_sum_vectors(int rows) { return max_sums / rows; }

template <class T>
GatherFunction<T> gather_function(int rows, int vectors) {
  static constexpr auto table = [] {
    std::array<std::array<GatherFunction<T>, max_sums + 1>, max_sum_rows + 1> functions{};
    repeat<max_sum_rows>([&](auto r) {
      repeat<max_sum_vectors(r + 1)>([&](auto v) { functions[r + 1][v + 1] = &gather_windows<T, r + 1, v + 1>; });
    });
    return functions;
  }();
  return table[static_cast<std::size_t>(rows)][static_cast<std::size_t>(vectors)];
}

ConvMaxPoolGeometry geometry_of(const Op& op, const Shape& x, const Shape& kernel) {
  const auto& gradient = static_cast<const Conv2DMaxPoolKernelGradientOp&>(op);
  return {x, kernel, gradient.window(), gradient.pool()};
}

/// Whether a line of the window is contiguous and fills whole registers.
template <class T>
bool is_gathered(const ConvMaxPoolGeometry& geometry) {
  const ConvGeometry& conv = geometry.conv;
  return conv.groups == 1 && conv.columns.dilation == 1 && conv.columns.window * conv.channels % vector_length<T> == 0;
}

template <class T>
class GatheredKernelGradient {
 public:
  GatheredKernelGradient(const ConvMaxPoolGeometry& geometry, void* workspace)
      : geometry_(geometry), cutter_(workspace) {
    const ConvGeometry& conv = geometry.conv;
    width_ = conv.columns.input;
    if (conv.is_padded()) {
      width_ += conv.columns.pad_before + conv.columns.pad_after;
      height_ = conv.rows.input + conv.rows.pad_before + conv.rows.pad_after;
      padded_ = cutter_.take<T>(height_ * width_ * conv.channels);
    }
    line_ = conv.columns.window * conv.channels;
    sums_ = cutter_.take<T>(conv.filters * conv.rows.window * line_);
    pixels_ = whole_registers(geometry.pooled_pixels());
    filters_ = whole_registers(conv.filters);
    cells_ = geometry.pool.rows.window * geometry.pool.columns.window;
    window_offsets_ = cutter_.take<Offset>(pixels_);
    cell_offsets_ = cutter_.take<Offset>(cells_);
    for (std::size_t i = 0; i < 2; ++i) {
      gradients_[i] = cutter_.take<T>(pixels_ * filters_);
      offsets_[i] = cutter_.take<Offset>(pixels_ * filters_);
    }
    // Lists are written a register at a time.
    listed_gradients_ = cutter_.take<T>(pixels_ + vector_length<T>);
    listed_offsets_ = cutter_.take<Offset>(pixels_ + vector_length<T>);
  }

  std::size_t workspace_bytes() const { return cutter_.used(); }

  void run(const T* x, const T* dy, const std::uint8_t* index, T* gradient, bool accumulate) {
    const ConvGeometry& conv = geometry_.conv;
    list_offsets();
    if (padded_ != nullptr) std::fill(padded_, padded_ + height_ * width_ * conv.channels, T());
    std::fill(sums_, sums_ + conv.filters * conv.rows.window * line_, T());
    const std::int64_t image_size = conv.rows.input * conv.columns.input * conv.channels;
    const std::int64_t pooled_size = geometry_.pooled_pixels() * conv.filters;
    for (std::int64_t image = 0; image < conv.images; ++image) {
      const T* const from = x + image * image_size;
      add_image(padded_ == nullptr ? from : padded_copy(from), dy + image * pooled_size, index + image * pooled_size);
    }
    const std::int64_t depth = conv.rows.window * line_;
    if (accumulate) {
      transpose_matrix<T, true>(sums_, depth, conv.filters, depth, gradient, conv.filters);
    } else {
      transpose_matrix<T, false>(sums_, depth, conv.filters, depth, gradient, conv.filters);
    }
  }

 private:
  /// The offsets of the convolution's windows: for each window of the pooling that of its first cell, and for each cell
  /// of one the offset from there.
  void list_offsets() {
    const ConvGeometry& conv = geometry_.conv;
    const PoolGeometry& pool = geometry_.pool;
    const std::int64_t row_step = conv.rows.stride * width_ * conv.channels;
    const std::int64_t column_step = conv.columns.stride * conv.channels;
    Offset* offset = window_offsets_;
    for (std::int64_t row = 0; row < pool.rows.output; ++row) {
      for (std::int64_t column = 0; column < pool.columns.output; ++column) {
        *offset++ = static_cast<Offset>((row * pool.rows.stride - pool.rows.pad_before) * row_step +
                                        (column * pool.columns.stride - pool.columns.pad_before) * column_step);
      }
    }
    offset = cell_offsets_;
    for (std::int64_t row = 0; row < pool.rows.window; ++row) {
      for (std::int64_t column = 0; column < pool.columns.window; ++column) {
        *offset++ = static_cast<Offset>(row * row_step + column * column_step);
      }
    }
    // After the last pixel there are no gradients.
    std::fill(offsets_[0], offsets_[0] + pixels_ * filters_, nowhere);
    std::fill(gradients_[0], gradients_[0] + pixels_ * filters_, T());
  }

  const T* padded_copy(const T* x) {
    const ConvGeometry& conv = geometry_.conv;
    const std::int64_t line = conv.columns.input * conv.channels;
    for (std::int64_t row = 0; row < conv.rows.input; ++row) {
      std::copy(x + row * line, x + (row + 1) * line,
                padded_ + ((row + conv.rows.pad_before) * width_ + conv.columns.pad_before) * conv.channels);
    }
    return padded_;
  }

  /// Lists for each filter, in the second buffers, the offsets of the windows and the gradient of each.
  void list_by_filter(const T* dy, const std::uint8_t* index) {
    const std::int64_t filters = geometry_.conv.filters;
    for (std::int64_t pixel = 0; pixel < geometry_.pooled_pixels(); ++pixel) {
      const Offset window = window_offsets_[pixel];
      std::copy_n(dy + pixel * filters, filters, gradients_[0] + pixel * filters_);
      Offset* const offsets = offsets_[0] + pixel * filters_;
      const std::uint8_t* const cells = index + pixel * filters;
      // Without a branch for each filter: ReLU's are hard to predict.
      std::fill_n(offsets, filters, nowhere);
      for (std::int64_t cell = 0; cell < cells_; ++cell) {
        const Offset place = window + cell_offsets_[cell];
        for (std::int64_t filter = 0; filter < filters; ++filter) {
          offsets[filter] = cells[filter] == cell ? place : offsets[filter];
        }
      }
    }
    transpose_matrix<T>(gradients_[0], filters_, pixels_, filters_, gradients_[1], pixels_);
    transpose_matrix<Offset>(offsets_[0], filters_, pixels_, filters_, offsets_[1], pixels_);
  }

  void add_image(const T* x, const T* dy, const std::uint8_t* index) {
    const ConvGeometry& conv = geometry_.conv;
    const std::int64_t vectors = line_ / vector_length<T>;
    // As many lines of the window at a time as the registers allow.
    const auto together = static_cast<int>(
        std::clamp<std::int64_t>(max_sums / vectors, 1, std::min<std::int64_t>(max_sum_rows, conv.rows.window)));
    const std::int64_t row_stride = conv.rows.dilation * width_ * conv.channels;
    list_by_filter(dy, index);
    for (std::int64_t filter = 0; filter < conv.filters; ++filter) {
      std::int64_t count = 0;
      for (std::int64_t pixel = 0; pixel < pixels_; pixel += vector_length<T>) {
        const std::int64_t at = filter * pixels_ + pixel;
        count += compress_present<T>(gradients_[1] + at, offsets_[1] + at, nowhere, listed_gradients_ + count,
                                     listed_offsets_ + count);
      }
      T* const sums = sums_ + filter * conv.rows.window * line_;
      for (std::int64_t row = 0; row < conv.rows.window; row += together) {
        const int rows = static_cast<int>(std::min<std::int64_t>(together, conv.rows.window - row));
        for_each_tile(vectors, max_sum_vectors(rows), [&](std::int64_t first, int width) {
          const std::int64_t column = first * vector_length<T>;
          gather_function<T>(rows, width)(x + row * row_stride + column, row_stride, listed_offsets_, listed_gradients_,
                                          count, sums + row * line_ + column, line_);
        });
      }
    }
  }

  static std::int64_t whole_registers(std::int64_t count) {
    return (count + vector_length<T> - 1) / vector_length<T> * vector_length<T>;
  }

  ConvMaxPoolGeometry geometry_;
  WorkspaceCutter cutter_;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
  std::int64_t line_ = 0;
  T* padded_ = nullptr;
  T* sums_ = nullptr;
  // Whole registers of pixels and of filters.
  std::int64_t pixels_ = 0;
  std::int64_t filters_ = 0;
  std::int64_t cells_ = 0;
  Offset* window_offsets_ = nullptr;
  Offset* cell_offsets_ = nullptr;
  // [pixel][filter], and transposed.
  std::array<T*, 2> gradients_ = {nullptr, nullptr};
  std::array<Offset*, 2> offsets_ = {nullptr, nullptr};
  T* listed_gradients_ = nullptr;
  Offset* listed_offsets_ = nullptr;
};

/// The gradient of the bias: the sum of all gradients.
template <class T>
void add_bias_gradient(const ConvMaxPoolGeometry& geometry, const T* dy, const std::uint8_t* index, T* gradient,
                       bool accumulate) {
  const std::int64_t filters = geometry.conv.filters;
  const std::int64_t pixels = geometry.conv.images * geometry.pooled_pixels();
  const auto no_cell = static_cast<std::uint8_t>(geometry.pool.rows.window * geometry.pool.columns.window);
  for_each_channel<T>(
      filters,
      [&](std::int64_t filter) {
        Vector<T> sum{};
        if (accumulate) load<T>(sum, gradient + filter);
        for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
          Vector<T> part;
          load<T>(part, dy + pixel * filters + filter);
          MaskVector<T> cell;
          load_bytes<T>(cell, index + pixel * filters + filter);
          sum += cell != static_cast<MaskElement<T>>(no_cell) ? part : Vector<T>{};
        }
        store<T>(gradient + filter, sum);
      },
      [&](std::int64_t filter) {
        T sum = accumulate ? gradient[filter] : T();
        for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
          if (index[pixel * filters + filter] != no_cell) sum += dy[pixel * filters + filter];
        }
        gradient[filter] = sum;
      });
}

/// The op of the dense gradient of the convolution, made from `op`.
Conv2DKernelGradientOp dense_op(const Op& op, const Shape& kernel) {
  return {kernel[0], kernel[1], static_cast<const Conv2DMaxPoolKernelGradientOp&>(op).window()};
}

template <class T>
std::size_t workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  const ConvMaxPoolGeometry geometry = geometry_of(op, inputs[0].shape, outputs[0].shape);
  if (is_gathered<T>(geometry)) return GatheredKernelGradient<T>(geometry, nullptr).workspace_bytes();
  return Unpooled<T>(geometry, dense_op(op, outputs[0].shape), inputs[0], outputs[0], nullptr).workspace_bytes();
}

template <class T>
void run(const KernelArguments& arguments) {
  const TensorView& x = arguments.inputs[0];
  const TensorView& gradient = arguments.outputs[0];
  const ConvMaxPoolGeometry geometry = geometry_of(*arguments.op, x.shape(), gradient.shape());
  const T* const dy = arguments.inputs[1].as<T>();
  const auto* const index = arguments.inputs[2].as<std::uint8_t>();
  add_bias_gradient(geometry, dy, index, arguments.outputs[1].as<T>(), arguments.accumulate);
  if (is_gathered<T>(geometry)) {
    GatheredKernelGradient<T>(geometry, arguments.workspace)
        .run(x.as<T>(), dy, index, gradient.as<T>(), arguments.accumulate);
    return;
  }
  const Conv2DKernelGradientOp dense = dense_op(*arguments.op, gradient.shape());
  Unpooled<T> unpooled(geometry, dense, x.spec, gradient.spec, arguments.workspace);
  const std::int64_t image_size = x.size() / std::max<std::int64_t>(1, geometry.conv.images);
  if (geometry.conv.images == 0 && !arguments.accumulate) std::fill_n(gradient.as<T>(), gradient.size(), T());
  unpooled.for_each_image(dy, index, [&](std::int64_t image, const TensorView& full) {
    const TensorView inputs[] = {{x.as<T>() + image * image_size, unpooled.one_image()}, full};
    unpooled.kernel().run({.op = &dense,
                           .inputs = inputs,
                           .outputs = arguments.outputs.first(1),
                           .workspace = unpooled.workspace(),
                           .first_sample = arguments.first_sample + image,
                           .accumulate = arguments.accumulate || image > 0});
  });
}

template <class T>
void register_for(KernelTable& table) {
  table.add("Conv2DMaxPoolKernelGradient", dtype_of<T>, {.run = &run<T>, .workspace_bytes = &workspace_bytes<T>});
}

}  // namespace

void register_conv_max_pool_kernel_gradient_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
}

}  // namespace rhyton::cpu
