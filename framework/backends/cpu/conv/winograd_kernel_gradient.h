#pragma once

#include <rhyton/framework/backends/cpu/conv/winograd_transforms.h>

namespace rhyton::cpu {

/// The derivative of minimal filtering with respect to the kernel, Gᵀ [Σ (Bᵀ d B) ⊗ (A dy Aᵀ)] G: tiles of the images
/// and of the gradient are transformed, their products added up point by point, and finally the sums transformed to the
/// kernel's gradient.
template <class T, class Scheme>
class WinogradKernelGradient {
 public:
  static constexpr int points = Scheme::points;

  WinogradKernelGradient(const WinogradShape& shape, void* workspace)
      : shape_(shape),
        cutter_(workspace),
        tiles_(tile_counts<Scheme>(shape)),
        inputs_of_(shape.input, shape.channels, tiles_, tile_steps<Scheme>, shape.pad_before, cutter_),
        gradients_of_(shape.output, shape.filters, tiles_, tile_steps<Scheme>, {0, 0}, cutter_),
        block_(tiles_per_block<T, Scheme>(shape)) {
    inputs_ = cutter_.take<T>(points * inputs_of_.stride(block_, inputs_of_.padded_channels()));
    gradients_ = cutter_.take<T>(points * gradients_of_.stride(block_, gradients_of_.padded_channels()));
    sums_ = cutter_.take<T>(points * shape.channels * gradients_of_.padded_channels());
    offsets_ = cutter_.take<std::int64_t>(block_);
  }

  std::size_t workspace_bytes() const { return cutter_.used(); }

  void run(const T* x, const T* dy, T* gradient, bool accumulate) {
    for (std::int64_t i = 0; i < block_; ++i) offsets_[i] = i * inputs_of_.padded_channels();
    bool has_sums = false;
    for_each_tile(shape_.images * tiles_[0] * tiles_[1], static_cast<int>(block_), [&](std::int64_t first, int count) {
      for (int i = 0; i < count; ++i) {
        inputs_of_.transform(x, first + i, i, count, inputs_);
        gradients_of_.transform(dy, first + i, i, count, gradients_);
      }
      add_products(count, has_sums);
      has_sums = true;
    });
    if (has_sums) {
      finish(gradient, accumulate);
    } else if (!accumulate) {
      std::fill(gradient, gradient + Scheme::taps * shape_.channels * shape_.filters, T());
    }
  }

 private:
  void add_products(std::int64_t count, bool accumulate) {
    const std::int64_t width = gradients_of_.padded_channels();
    Strips<T>(shape_.filters).for_each([&](std::int64_t strip, int, int vectors) {
      PositionTile<T> tile;
      tile.offsets = offsets_;
      tile.positions = count;
      tile.panel_stride = width;
      tile.result = {.columns = vectors * vector_length<T>, .accumulate = accumulate};
      for (int point = 0; point < points; ++point) {
        tile.panel = gradients_ + point * gradients_of_.stride(count, width) + strip;
        const T* const rows = inputs_ + point * inputs_of_.stride(count, inputs_of_.padded_channels());
        T* const sums = sums_ + point * shape_.channels * width + strip;
        for_each_tile(shape_.channels, max_rows(vectors), [&](std::int64_t first, int height) {
          std::array<const T*, max_tile_rows> from;
          std::array<T*, max_tile_rows> to;
          for (int row = 0; row < height; ++row) {
            from[static_cast<std::size_t>(row)] = rows + first + row;
            to[static_cast<std::size_t>(row)] = sums + (first + row) * width;
          }
          position_tile_function<T>(height, vectors)(tile, from.data(), to.data());
        });
      }
    });
  }

  void finish(T* gradient, bool accumulate) {
    const std::int64_t width = gradients_of_.padded_channels();
    const std::int64_t tap_size = shape_.channels * shape_.filters;
    for (std::int64_t channel = 0; channel < shape_.channels; ++channel) {
      for (std::int64_t filter = 0; filter < shape_.filters; filter += vector_length<T>) {
        const T* const from = sums_ + channel * width + filter;
        T* const to = gradient + channel * shape_.filters + filter;
        const int count = static_cast<int>(std::min<std::int64_t>(vector_length<T>, shape_.filters - filter));
        apply_on_both_sides<T, KernelGradientMatrix<typename Scheme::Rows>,
                            KernelGradientMatrix<typename Scheme::Columns>>(
            [&](Vector<T> & value, auto r, auto c) __attribute__((always_inline)) {
              load<T>(value, from + (r * Scheme::Columns::points + c) * shape_.channels * width);
            },
            [&](auto r, auto c, const Vector<T>& value) __attribute__((always_inline)) {
              T* const target = to + (r * Scheme::Columns::taps + c) * tap_size;
              Vector<T> sum = value;
              Vector<T> before{};
              if (count == vector_length<T>) {
                if (accumulate) load<T>(before, target);
                sum += before;
                store<T>(target, sum);
              } else {
                if (accumulate) load_part<T>(before, target, count);
                sum += before;
                store_part<T>(target, sum, count);
              }
            });
      }
    }
  }

  WinogradShape shape_;
  WorkspaceCutter cutter_;
  std::array<std::int64_t, 2> tiles_;
  InputTiles<T, Scheme> inputs_of_;
  WinogradTiles<T, OutputGradientMatrix<typename Scheme::Rows>, OutputGradientMatrix<typename Scheme::Columns>>
      gradients_of_;
  std::int64_t block_;
  T* inputs_ = nullptr;
  T* gradients_ = nullptr;
  T* sums_ = nullptr;
  std::int64_t* offsets_ = nullptr;
};

}  // namespace rhyton::cpu
