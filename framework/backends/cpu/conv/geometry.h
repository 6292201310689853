#pragma once

#include <algorithm>
#include <cstdint>

#include <rhyton/framework/backends/cpu/matmul/register_tile.h>
#include <rhyton/framework/backends/cpu/primitives/share.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::cpu {

/// The lengths of a convolution, from the shapes of (a slice of) its images and of its kernel.
struct ConvGeometry {
  std::int64_t images;
  std::int64_t channels;
  std::int64_t filters;
  std::int64_t groups;
  std::int64_t group_channels;
  std::int64_t group_filters;
  WindowAxis rows;
  WindowAxis columns;
  /// The part of the output that is computed, of one image: some of the rows, or of the filters' strips.
  Share row_share;
  Share filter_share;

  ConvGeometry(const Shape& x, const Shape& kernel, const Conv2DAttributes& attributes)
      : images(x[0]),
        channels(x[3]),
        filters(kernel[3]),
        groups(attributes.groups),
        group_channels(kernel[2]),
        group_filters(kernel[3] / attributes.groups),
        rows(x[1], kernel[0], attributes.strides[0], attributes.dilation_rate[0], attributes.padding),
        columns(x[2], kernel[1], attributes.strides[1], attributes.dilation_rate[1], attributes.padding) {}

  /// The same convolution with the first rows and columns of its output only.
  ConvGeometry cropped(std::int64_t output_rows, std::int64_t output_columns) const {
    ConvGeometry result = *this;
    result.rows.output = std::min(rows.output, output_rows);
    result.columns.output = std::min(columns.output, output_columns);
    return result;
  }

  /// The same convolution for the rows that are the piece of a call.
  ConvGeometry piece_of(const KernelArguments& arguments) const {
    ConvGeometry result = *this;
    result.row_share = {arguments.piece, arguments.pieces};
    return result;
  }

  std::int64_t taps() const { return rows.window * columns.window; }
  std::int64_t pixels() const { return rows.output * columns.output; }
  /// Weights per filter.
  std::int64_t depth() const { return taps() * group_channels; }
  bool is_padded() const { return rows.pad_before + rows.pad_after + columns.pad_before + columns.pad_after > 0; }
  /// Groups so narrow that tiles would be mostly empty: every channel has a few filters of its own.
  bool is_depthwise() const { return groups > 1 && group_channels == 1 && group_filters <= 4; }
};

/// The images with their padding, a chunk at a time that stays in the L2 cache: several whole images, or some rows of
/// one. Where there is padding, a chunk is a copy with zeros around it.
template <class T>
class ConvSource {
 public:
  /// Takes its memory from `cutter`; the size does not decrease with the number of images. Chunks have a multiple of
  /// `row_multiple` rows.
  ConvSource(const ConvGeometry& geometry, WorkspaceCutter& cutter, std::int64_t row_multiple = 1)
      : geometry_(geometry), row_multiple_(row_multiple) {
    if (geometry.pixels() == 0) return;
    const std::int64_t line = geometry.is_padded() ? padded_width() : geometry.columns.input;
    line_ = checked_multiply(line, geometry.channels);
    const auto line_bytes = std::max<std::int64_t>(1, checked_multiply(line_, static_cast<std::int64_t>(sizeof(T))));
    const std::int64_t max_lines = std::max<std::int64_t>(1, max_bytes / line_bytes);
    const std::int64_t image_lines = lines_of(geometry.rows.output);
    if (image_lines <= max_lines && geometry.pixels() <= max_positions) {
      chunk_rows_ = geometry.rows.output;
      chunk_images_ = std::min(max_lines / std::max<std::int64_t>(1, image_lines),
                               max_positions / std::max<std::int64_t>(1, geometry.pixels()));
      chunk_images_ = std::max<std::int64_t>(1, std::min(chunk_images_, geometry.images));
    } else {
      const std::int64_t extent = lines_of(1);
      const std::int64_t rows = max_lines < extent ? 1 : (max_lines - extent) / geometry.rows.stride + 1;
      chunk_rows_ = std::min(rows, max_positions / std::max<std::int64_t>(1, geometry.columns.output));
      chunk_rows_ = std::max(row_multiple, chunk_rows_ / row_multiple * row_multiple);
      chunk_rows_ = std::max<std::int64_t>(1, std::min(chunk_rows_, geometry.rows.output));
      chunk_images_ = 1;
    }
    offsets_ = cutter.template take<std::int64_t>(chunk_images_ * chunk_rows_ * geometry.columns.output);
    if (geometry.is_padded()) {
      copy_ = cutter.template take<T>(checked_multiply(checked_multiply(chunk_images_, lines_of(chunk_rows_)), line_));
    }
  }

  /// Elements from one line of a chunk to the next.
  std::int64_t line() const { return line_; }
  std::int64_t max_chunk_positions() const { return chunk_images_ * chunk_rows_ * geometry_.columns.output; }

  /// Calls function(base, offsets, positions, first_pixel): the window of output pixel first_pixel + i, counted over
  /// all images, begins at base + offsets[i]. Only for the geometry's share of the rows.
  template <class Function>
  void for_each_chunk(const T* x, Function&& function) {
    const WindowAxis& rows = geometry_.rows;
    const WindowAxis& columns = geometry_.columns;
    const std::int64_t blocks = rows.output / row_multiple_;
    const Share& share = geometry_.row_share;
    const std::int64_t first_row = share.begin(blocks) * row_multiple_;
    const std::int64_t end_row = share.is_last() ? rows.output : share.end(blocks) * row_multiple_;
    for (std::int64_t image = 0; image < geometry_.images; image += chunk_images_) {
      const std::int64_t images = std::min(chunk_images_, geometry_.images - image);
      for (std::int64_t row = first_row; row < end_row; row += chunk_rows_) {
        const std::int64_t count = std::min(chunk_rows_, end_row - row);
        const T* base = x + (image * rows.input + row * rows.stride) * columns.input * geometry_.channels;
        std::int64_t image_size = rows.input * columns.input * geometry_.channels;
        if (copy_ != nullptr) {
          for (std::int64_t i = 0; i < images; ++i) copy_padded(x, image + i, row, count, i);
          base = copy_;
          image_size = lines_of(count) * line_;
        }
        std::int64_t* offset = offsets_;
        for (std::int64_t i = 0; i < images; ++i) {
          for (std::int64_t r = 0; r < count; ++r) {
            const std::int64_t first = i * image_size + r * rows.stride * line_;
            const std::int64_t step = columns.stride * geometry_.channels;
            for (std::int64_t c = 0; c < columns.output; ++c) *offset++ = first + c * step;
          }
        }
        function(base, static_cast<const std::int64_t*>(offsets_), images * count * columns.output,
                 (image * rows.output + row) * columns.output);
      }
    }
  }

 private:
  static constexpr std::int64_t max_bytes = 128 * 1024;
  static constexpr std::int64_t max_positions = 2048;

  std::int64_t padded_width() const {
    const WindowAxis& columns = geometry_.columns;
    return (columns.output - 1) * columns.stride + (columns.window - 1) * columns.dilation + 1;
  }

  /// Lines of the images that the windows of that many output rows cover.
  std::int64_t lines_of(std::int64_t output_rows) const {
    const WindowAxis& rows = geometry_.rows;
    return (output_rows - 1) * rows.stride + (rows.window - 1) * rows.dilation + 1;
  }

  void copy_padded(const T* x, std::int64_t image, std::int64_t first_row, std::int64_t count, std::int64_t place) {
    const WindowAxis& rows = geometry_.rows;
    const WindowAxis& columns = geometry_.columns;
    const std::int64_t channels = geometry_.channels;
    const std::int64_t lines = lines_of(count);
    const std::int64_t left = columns.pad_before * channels;
    const std::int64_t middle = std::min(columns.input * channels, line_ - left);
    T* to = copy_ + place * lines * line_;
    for (std::int64_t i = 0; i < lines; ++i, to += line_) {
      const std::int64_t row = first_row * rows.stride - rows.pad_before + i;
      if (row < 0 || row >= rows.input) {
        std::fill(to, to + line_, T());
        continue;
      }
      const T* from = x + (image * rows.input + row) * columns.input * channels;
      std::fill(to, to + left, T());
      std::copy(from, from + middle, to + left);
      std::fill(to + left + middle, to + line_, T());
    }
  }

  const ConvGeometry& geometry_;
  std::int64_t row_multiple_;
  std::int64_t line_ = 0;
  std::int64_t chunk_images_ = 1;
  std::int64_t chunk_rows_ = 1;
  std::int64_t* offsets_ = nullptr;
  T* copy_ = nullptr;
};

/// The pieces of an image: parts of its rows that have enough pixels.
inline std::int64_t row_pieces(std::int64_t rows, std::int64_t columns, std::int64_t row_multiple = 1) {
  constexpr std::int64_t least_pixels = 48;
  return std::min(rows / row_multiple, rows * columns / least_pixels);
}

/// The pieces of the forward convolution of one image: parts of its output rows, taken in multiples of `row_multiple`.
/// 0 for several images, which are divided instead.
inline std::int64_t conv_pieces(const ConvGeometry& geometry, std::int64_t row_multiple = 1) {
  return geometry.images == 1 ? row_pieces(geometry.rows.output, geometry.columns.output, row_multiple) : 0;
}

// The kernels of the three passes; each file defines its own. The first serves Conv2D, FusedConv2D and ScaledConv2D.

template <class T>
Kernel conv_kernel();
template <class T>
Kernel conv_input_gradient_kernel();
template <class T>
Kernel conv_kernel_gradient_kernel();

void register_conv_input_gradient_kernels(KernelTable& table);
void register_conv_kernel_gradient_kernels(KernelTable& table);

}  // namespace rhyton::cpu
