#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/ops/pooling.h>

namespace rhyton::gpu {

/// How windows move along one axis.
struct PoolAxis {
  int input = 0;
  int output = 0;
  int window = 0;
  int stride = 0;
  int pad_before = 0;

  PoolAxis() = default;
  PoolAxis(std::int64_t length, std::int64_t window, std::int64_t stride, Padding padding) {
    const WindowAxis axis(length, window, stride, 1, padding);
    *this = PoolAxis(axis);
  }

  /// The beginning of a window, which may be before the image.
  __host__ __device__ int begin(int position) const { return position * stride - pad_before; }
  /// The first cell of a window inside the image, and the one after the last.
  __host__ __device__ int first(int position) const { return begin(position) < 0 ? 0 : begin(position); }
  __host__ __device__ int last(int position) const {
    const int end = begin(position) + window;
    return end < input ? end : input;
  }
  /// The first window that covers a cell, and the one after the last.
  __host__ __device__ int first_window(int cell) const {
    const int after = cell + pad_before - window;
    return after < 0 ? 0 : after / stride + 1;
  }
  __host__ __device__ int last_window(int cell) const {
    const int end = (cell + pad_before) / stride + 1;
    return end < output ? end : output;
  }

 private:
  explicit PoolAxis(const WindowAxis& axis)
      : input(static_cast<int>(axis.input)),
        output(static_cast<int>(axis.output)),
        window(static_cast<int>(axis.window)),
        stride(static_cast<int>(axis.stride)),
        pad_before(static_cast<int>(axis.pad_before)) {}
};

/// A pooling of images [N, H, W, C], where C counts packs of neighbouring channels.
template <class Index>
struct PoolShape {
  PoolAxis rows;
  PoolAxis columns;
  Index channels = 1;
  Index images = 0;

  PoolShape(const Shape& x, const Pool2DAttributes& attributes, int pack)
      : rows(x[1], attributes.pool_size[0], attributes.strides[0], attributes.padding),
        columns(x[2], attributes.pool_size[1], attributes.strides[1], attributes.padding),
        channels(static_cast<Index>(x[3] / pack)),
        images(static_cast<Index>(x[0])) {}

  std::int64_t input_size() const { return std::int64_t{images} * rows.input * columns.input * channels; }
  std::int64_t output_size() const { return std::int64_t{images} * rows.output * columns.output * channels; }

  /// Packs before a cell of an image, and before a window of it.
  __host__ __device__ Index cell(Index image, int row, int column, Index channel) const {
    return ((image * rows.input + row) * columns.input + column) * channels + channel;
  }
  __host__ __device__ Index window(Index image, int row, int column, Index channel) const {
    return ((image * rows.output + row) * columns.output + column) * channels + channel;
  }
};

/// Decomposes the number of an element of [N, H, W, C].
template <class Index>
struct PoolPlace {
  Index image;
  int row;
  int column;
  Index channel;
};

template <class Index>
class PoolPlaces {
 public:
  PoolPlaces(std::int64_t height, std::int64_t width, std::int64_t channels)
      : height_(height), width_(width), channels_(channels) {}

  __host__ __device__ PoolPlace<Index> operator()(Index number) const {
    const Index pixel = channels_.quotient(number);
    const Index row = width_.quotient(pixel);
    const Index image = height_.quotient(row);
    return {image, static_cast<int>(row - image * height_.value()), static_cast<int>(pixel - row * width_.value()),
            number - pixel * channels_.value()};
  }

 private:
  Divisor<Index> height_;
  Divisor<Index> width_;
  Divisor<Index> channels_;
};

}  // namespace rhyton::gpu
