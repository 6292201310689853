#include <rhyton/framework/ops/unfold.h>

#include <algorithm>
#include <array>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/window.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

/// The windows along one axis of images.
struct UnfoldedAxis {
  std::int64_t padding;
  /// Of the padded axis.
  WindowAxis window;

  /// Where the cells of the windows are, the first cell of all windows first.
  Tensor places() const {
    std::vector<std::int64_t> places;
    for (std::int64_t cell = 0; cell < window.window; ++cell) {
      for (std::int64_t position = 0; position < window.output; ++position) {
        places.push_back(cell * window.dilation + position * window.stride);
      }
    }
    return Tensor::from_data({static_cast<std::int64_t>(places.size())}, places);
  }
};

/// Height and width of images of these lengths, of which unknown ones, -1, have no window.
std::array<UnfoldedAxis, 2> unfolded_axes(const std::array<std::int64_t, 2>& lengths, const PerAxis& kernel_size,
                                          const UnfoldOptions& options) {
  const std::vector<std::int64_t> sizes = kernel_size.for_axes(2, "kernel_size");
  const std::vector<std::int64_t> dilation = options.dilation.for_axes(2, "dilation");
  const std::vector<std::int64_t> padding = options.padding.for_axes(2, "padding");
  const std::vector<std::int64_t> stride = options.stride.for_axes(2, "stride");
  std::array<UnfoldedAxis, 2> axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (padding[i] < 0) {
      throw ValueError("`padding` must not be negative. Received: padding=" + options.padding.to_string());
    }
    const std::int64_t padded =
        checked_add(std::max<std::int64_t>(lengths[i], 0), checked_multiply(padding[i], std::int64_t{2}));
    axes[i] = {padding[i], WindowAxis(padded, sizes[i], stride[i], dilation[i], Padding::valid)};
    if (lengths[i] < 0) continue;
    if (axes[i].window.output < 0) {
      throw ValueError("Computed output size would be negative. Received: length=" + std::to_string(lengths[i]) +
                       ", kernel_size=" + kernel_size.to_string() + ", padding=" + options.padding.to_string());
    }
  }
  return axes;
}

std::int64_t cells_of(const std::array<UnfoldedAxis, 2>& axes) {
  return checked_multiply(axes[0].window.window, axes[1].window.window);
}

}  // namespace

Shape unfold_shape(const Shape& x, const PerAxis& kernel_size, const UnfoldOptions& options) {
  if (x.rank() != 4) throw ValueError("Input must be a 4D tensor. Received: input.shape=" + x.to_string());
  const auto axes = unfolded_axes({x[2], x[3]}, kernel_size, options);
  const bool is_known = x[2] >= 0 && x[3] >= 0;
  return {x[0], x[1] < 0 ? -1 : checked_multiply(x[1], cells_of(axes)),
          is_known ? checked_multiply(axes[0].window.output, axes[1].window.output) : -1};
}

Shape fold_shape(const Shape& x, const PerAxis& output_size, const PerAxis& kernel_size, const UnfoldOptions& options) {
  if (x.rank() != 3) throw ValueError("Input must be a 3D tensor. Received: input.shape=" + x.to_string());
  const std::vector<std::int64_t> sizes = output_size.for_axes(2, "output_size");
  if (sizes[0] < 0 || sizes[1] < 0) {
    throw ValueError("`output_size` must not be negative. Received: output_size=" + output_size.to_string());
  }
  const auto axes = unfolded_axes({sizes[0], sizes[1]}, kernel_size, options);
  const std::int64_t cells = cells_of(axes);
  if (x[1] >= 0 && x[1] % cells != 0) {
    throw ValueError("The second dimension of the input (" + std::to_string(x[1]) +
                     ") must be divisible by kernel_size product (" + std::to_string(cells) + ").");
  }
  const std::int64_t windows = checked_multiply(axes[0].window.output, axes[1].window.output);
  if (x[2] >= 0 && x[2] != windows) {
    throw ValueError("The last dimension of the input (" + std::to_string(x[2]) + ") must be the number of windows (" +
                     std::to_string(windows) + ").");
  }
  return {x[0], x[1] < 0 ? -1 : x[1] / cells, sizes[0], sizes[1]};
}

Tensor unfold(const Tensor& x, const PerAxis& kernel_size, const UnfoldOptions& options) {
  const Shape result = unfold_shape(x.shape(), kernel_size, options);
  const Shape& shape = x.shape();
  const auto [rows, columns] = unfolded_axes({shape[2], shape[3]}, kernel_size, options);
  Tensor cells = x;
  if (rows.padding > 0 || columns.padding > 0) {
    cells = pad(cells, {{0, 0}, {0, 0}, {rows.padding, rows.padding}, {columns.padding, columns.padding}});
  }
  cells = gather(gather(cells, rows.places(), 2), columns.places(), 3);
  const Tensor windows = reshape(cells, {shape[0], shape[1], rows.window.window, rows.window.output,
                                         columns.window.window, columns.window.output});
  return reshape(transpose(windows, {0, 1, 2, 4, 3, 5}), result);
}

Tensor fold(const Tensor& x, const PerAxis& output_size, const PerAxis& kernel_size, const UnfoldOptions& options) {
  const Shape result = fold_shape(x.shape(), output_size, kernel_size, options);
  const auto [rows, columns] = unfolded_axes({result[2], result[3]}, kernel_size, options);
  const Tensor windows = reshape(
      x, {result[0], result[1], rows.window.window, columns.window.window, rows.window.output, columns.window.output});
  const std::int64_t height = checked_multiply(rows.window.window, rows.window.output);
  const std::int64_t width = checked_multiply(columns.window.window, columns.window.output);
  const Tensor cells = reshape(transpose(windows, {0, 1, 2, 4, 3, 5}), {result[0], result[1], height, width});
  const Tensor lines =
      gather_gradient(cells, columns.places(), {result[0], result[1], height, columns.window.input}, 3);
  Tensor images =
      gather_gradient(lines, rows.places(), {result[0], result[1], rows.window.input, columns.window.input}, 2);
  if (rows.padding == 0 && columns.padding == 0) return images;
  return slice(images, {0, 0, rows.padding, columns.padding}, {result[0], result[1], result[2], result[3]});
}

}  // namespace ops
}  // namespace rhyton
