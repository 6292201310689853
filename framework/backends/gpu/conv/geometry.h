#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/gpu/conv/problem.h>

namespace rhyton::gpu {

/// The lengths of a convolution as arguments of kernels. `Index` holds every offset into the tensors.
template <class Index>
struct ConvGeometry {
  Index images, channels, filters, groups, group_channels, group_filters, depth;
  Index input_rows, input_columns, kernel_rows, kernel_columns, output_rows, output_columns;
  Index row_stride, column_stride, row_dilation, column_dilation, top, left;

  explicit ConvGeometry(const ConvolutionProblem& problem)
      : images(static_cast<Index>(problem.images)),
        channels(static_cast<Index>(problem.channels)),
        filters(static_cast<Index>(problem.filters)),
        groups(static_cast<Index>(problem.groups)),
        group_channels(static_cast<Index>(problem.group_channels())),
        group_filters(static_cast<Index>(problem.group_filters())),
        depth(static_cast<Index>(problem.depth())),
        input_rows(static_cast<Index>(problem.input[0])),
        input_columns(static_cast<Index>(problem.input[1])),
        kernel_rows(static_cast<Index>(problem.kernel[0])),
        kernel_columns(static_cast<Index>(problem.kernel[1])),
        output_rows(static_cast<Index>(problem.output[0])),
        output_columns(static_cast<Index>(problem.output[1])),
        row_stride(static_cast<Index>(problem.strides[0])),
        column_stride(static_cast<Index>(problem.strides[1])),
        row_dilation(static_cast<Index>(problem.dilation[0])),
        column_dilation(static_cast<Index>(problem.dilation[1])),
        top(static_cast<Index>(problem.pad_before[0])),
        left(static_cast<Index>(problem.pad_before[1])) {}

  __host__ __device__ Index output_pixels() const { return images * output_rows * output_columns; }
  __host__ __device__ Index input_pixels() const { return images * input_rows * input_columns; }
};

/// A pixel of a stack of images.
template <class Index>
struct ConvPixel {
  Index image, row, column;

  /// The one at a position counted over all images of these lengths.
  __host__ __device__ ConvPixel(Index position, Index rows, Index columns)
      : image(position / columns / rows), row(position / columns % rows), column(position % columns) {}
};

/// One weight of a filter: the tap, and the channel within the group.
template <class Index>
struct ConvWeight {
  Index row, column, channel;

  __host__ __device__ ConvWeight(Index place, Index kernel_columns, Index channels)
      : row(place / channels / kernel_columns), column(place / channels % kernel_columns), channel(place % channels) {}
};

/// The position, counted over all input pixels, that a tap of the window at an output pixel covers; -1 in the padding.
template <class Index>
__host__ __device__ inline Index covered_input(const ConvGeometry<Index>& conv, Index image, Index output_row,
                                               Index output_column, Index tap_row, Index tap_column) {
  const Index row = output_row * conv.row_stride - conv.top + tap_row * conv.row_dilation;
  const Index column = output_column * conv.column_stride - conv.left + tap_column * conv.column_dilation;
  if (row < 0 || row >= conv.input_rows || column < 0 || column >= conv.input_columns) return -1;
  return (image * conv.input_rows + row) * conv.input_columns + column;
}
template <class Index>
__host__ __device__ inline Index covered_input(const ConvGeometry<Index>& conv, const ConvPixel<Index>& output,
                                               Index tap_row, Index tap_column) {
  return covered_input(conv, output.image, output.row, output.column, tap_row, tap_column);
}

/// The position, counted over all output pixels, of the window whose tap covers an input pixel; -1 when there is none.
template <class Index>
__host__ __device__ inline Index covering_output(const ConvGeometry<Index>& conv, const ConvPixel<Index>& input,
                                                 Index tap_row, Index tap_column) {
  const Index row = input.row + conv.top - tap_row * conv.row_dilation;
  const Index column = input.column + conv.left - tap_column * conv.column_dilation;
  if (row < 0 || column < 0) return -1;
  const Index output_row = row / conv.row_stride;
  const Index output_column = column / conv.column_stride;
  if (output_row >= conv.output_rows || output_row * conv.row_stride != row) return -1;
  if (output_column >= conv.output_columns || output_column * conv.column_stride != column) return -1;
  return (input.image * conv.output_rows + output_row) * conv.output_columns + output_column;
}

/// Calls `function` with a value of the type that offsets of this problem are computed in.
template <class Function>
void with_conv_index(const ConvolutionProblem& problem, const Function& function) {
  if (problem.fits_32_bits()) {
    function(std::int32_t{});
  } else {
    function(std::int64_t{});
  }
}

/// Some neighbouring elements that are loaded by one instruction.
template <class T, int length>
struct alignas(sizeof(T) * length) ConvVector {
  T values[length];
};

}  // namespace rhyton::gpu
