#include <rhyton/framework/backends/cpu/conv/winograd.h>

#include <type_traits>

#include <rhyton/framework/backends/cpu/conv/winograd_kernel_gradient.h>
#include <rhyton/framework/backends/cpu/conv/winograd_transforms.h>
#include <rhyton/framework/backends/cpu/primitives/bytes.h>
#include <rhyton/framework/backends/cpu/primitives/vector_part.h>

namespace rhyton::cpu {
namespace {

template <class Scheme>
struct SchemeTag {};

/// Calls function(SchemeTag) for kernels of 3 x 3: tiles of 2 x 2, or of 4 x 4 where speed is more important.
template <class Function>
auto with_even_square(ConvAlgorithm algorithm, Function&& function) {
  if (algorithm == ConvAlgorithm::fast_winograd) return function(SchemeTag<SquareScheme<MinimalFilter<4, 3>>>());
  return function(SchemeTag<SquareScheme<MinimalFilter<2, 3>>>());
}

/// The same for kernels of one row: tiles of 1 x 2 or 1 x 4.
template <int taps, class Function>
auto with_row(ConvAlgorithm algorithm, Function&& function) {
  if (algorithm == ConvAlgorithm::fast_winograd) return function(SchemeTag<RowScheme<MinimalFilter<4, taps>>>());
  return function(SchemeTag<RowScheme<MinimalFilter<2, taps>>>());
}

/// The same for the kernel of `geometry`.
template <class Function>
auto with_even_scheme(const ConvGeometry& geometry, ConvAlgorithm algorithm, Function&& function) {
  if (geometry.rows.window == 3) return with_even_square(algorithm, function);
  return geometry.columns.window == 3 ? with_row<3>(algorithm, function) : with_row<5>(algorithm, function);
}

/// The same, but one tile where the results are images of 3 x 3.
template <class Function>
auto with_scheme(const ConvGeometry& geometry, const std::array<std::int64_t, 2>& output, ConvAlgorithm algorithm,
                 Function&& function) {
  if (geometry.rows.window == 3 && std::max(output[0], output[1]) == 3) {
    return function(SchemeTag<SquareScheme<MinimalFilter<3, 3>>>());
  }
  return with_even_scheme(geometry, algorithm, function);
}

std::array<std::int64_t, 2> output_of(const ConvGeometry& geometry) {
  return {geometry.rows.output, geometry.columns.output};
}
std::array<std::int64_t, 2> input_of(const ConvGeometry& geometry) {
  return {geometry.rows.input, geometry.columns.input};
}

WinogradShape forward_shape(const ConvGeometry& geometry) {
  return {.images = geometry.images,
          .channels = geometry.channels,
          .filters = geometry.filters,
          .input = input_of(geometry),
          .output = output_of(geometry),
          .pad_before = {geometry.rows.pad_before, geometry.columns.pad_before},
          .tile_share = geometry.row_share,
          .filter_share = geometry.filter_share};
}

/// The derivative is a convolution of dy with the rotated kernel, and the complementary padding.
WinogradShape backward_shape(const ConvGeometry& geometry) {
  return {.images = geometry.images,
          .channels = geometry.filters,
          .filters = geometry.channels,
          .input = output_of(geometry),
          .output = input_of(geometry),
          .pad_before = {geometry.rows.window - 1 - geometry.rows.pad_before,
                         geometry.columns.window - 1 - geometry.columns.pad_before},
          .tile_share = geometry.row_share,
          .filter_share = {}};
}

/// Whether one tile covers all of an image, so that the derivative can use the adjoint of the forward scheme.
bool has_one_tile(const ConvGeometry& geometry) {
  return geometry.rows.window == 3 && !geometry.is_padded() &&
         output_of(geometry) == std::array<std::int64_t, 2>{3, 3} &&
         input_of(geometry) == std::array<std::int64_t, 2>{5, 5};
}

using OneTile = SquareScheme<AdjointFilter<MinimalFilter<3, 3>>>;

template <class T>
__attribute__((always_inline)) inline void load_bias(Vector<T>& bias, const TileResult<T>& result, std::int64_t filter,
                                                     std::int64_t count) {
  bias = Vector<T>{};
  if (result.bias != nullptr) bias = load_some<T>(result.bias + filter, static_cast<int>(count));
}

/// Writes tiles to images, without the part beyond the edge.
template <class T, class Scheme>
void convolve_to_images(const WinogradShape& shape, const T* x, const T* packed, const TileResult<T>& result, T* y,
                        void* workspace) {
  constexpr int rows = Scheme::Rows::outputs;
  constexpr int columns = Scheme::Columns::outputs;
  WinogradConv<T, Scheme>(shape, workspace)
      .run(x, packed,
           [&](std::int64_t image, std::int64_t tile_row, std::int64_t tile_column, std::int64_t filter,
               std::int64_t count, const Vector<T>(&values)[rows][columns]) {
             Vector<T> bias;
             load_bias(bias, result, filter, count);
             Vector<T> scale{};
             if (result.scale != nullptr) scale = load_some<T>(result.scale + filter, static_cast<int>(count));
             const std::int64_t row = tile_row * rows;
             const std::int64_t column = tile_column * columns;
             T* const to = y + ((image * shape.output[0] + row) * shape.output[1] + column) * shape.filters + filter;
             repeat<rows>([&](auto r) __attribute__((always_inline)) {
               if (row + r >= shape.output[0]) return;
               repeat<columns>([&](auto c) __attribute__((always_inline)) {
                 if (column + c >= shape.output[1]) return;
                 Vector<T> value = (result.scale == nullptr ? values[r][c] : values[r][c] * scale) + bias;
                 if (result.relu) rectify(result, value);
                 store_some<T>(to + (r * shape.output[1] + c) * shape.filters, value, static_cast<int>(count));
               });
             });
           });
}

template <class T>
__attribute__((always_inline)) inline void store_index_count(std::uint8_t* to, const MaskVector<T>& place,
                                                             std::int64_t count) {
  if (count == vector_length<T>) {
    store_bytes<T>(to, place);
  } else {
    const MaskVector<T> part = place;
    for (int i = 0; i < count; ++i) to[i] = static_cast<std::uint8_t>(part[i]);
  }
}

/// Pools the windows of 2 x 2 in a tile while it is in registers.
template <class T, class Scheme, bool has_index>
void convolve_to_pooled(const WinogradShape& shape, const T* x, const T* packed, const TileResult<T>& result, T* y,
                        std::uint8_t* index, void* workspace) {
  constexpr int outputs = Scheme::Rows::outputs;
  constexpr int windows = outputs / 2;
  const std::int64_t pooled_rows = shape.output[0] / 2;
  const std::int64_t pooled_columns = shape.output[1] / 2;
  WinogradConv<T, Scheme>(shape, workspace)
      .run(x, packed,
           [&](std::int64_t image, std::int64_t tile_row, std::int64_t tile_column, std::int64_t filter,
               std::int64_t count, const Vector<T>(&values)[outputs][outputs]) {
             Vector<T> bias;
             load_bias(bias, result, filter, count);
             repeat<windows * windows>([&](auto window) __attribute__((always_inline)) {
               constexpr int window_row = window / windows;
               constexpr int window_column = window % windows;
               const std::int64_t row = tile_row * windows + window_row;
               const std::int64_t column = tile_column * windows + window_column;
               if (row >= pooled_rows || column >= pooled_columns) return;
               // A cell wins that is greater, or follows a NaN.
               Vector<T> best = values[2 * window_row][2 * window_column] + bias;
               MaskVector<T> place{};
               repeat<3>([&](auto i) __attribute__((always_inline)) {
                 constexpr int cell = i + 1;
                 const Vector<T> value = values[2 * window_row + cell / 2][2 * window_column + cell % 2] + bias;
                 const MaskVector<T> wins = (value > best) | (best != best);
                 best = wins ? value : best;
                 if constexpr (has_index) place = wins ? MaskVector<T>{} + static_cast<MaskElement<T>>(cell) : place;
               });
               if (result.relu) {
                 place = best > Vector<T>{} ? place : MaskVector<T>{} + static_cast<MaskElement<T>>(4);
                 best = best < Vector<T>{} ? Vector<T>{} : best;
               }
               const std::int64_t at = ((image * pooled_rows + row) * pooled_columns + column) * shape.filters + filter;
               store_some<T>(y + at, best, static_cast<int>(count));
               if constexpr (has_index) store_index_count<T>(index + at, place, count);
             });
           });
}

/// The shape of the derivative, and its scheme.
template <class Function>
auto with_backward_scheme(const ConvGeometry& geometry, ConvAlgorithm algorithm, Function&& function) {
  WinogradShape shape = backward_shape(geometry);
  if (has_one_tile(geometry)) {
    shape.pad_before = {0, 0};
    return function(shape, SchemeTag<OneTile>());
  }
  return with_scheme(geometry, shape.output, algorithm, [&](auto tag) { return function(shape, tag); });
}

template <class T, class Scheme>
std::size_t kernel_bytes(const WinogradShape& shape) {
  return static_cast<std::size_t>(winograd_kernel_size<T, Scheme>(shape.channels, shape.filters)) * sizeof(T);
}

template <class T, class Scheme>
void pack_plain(const WinogradShape& shape, const T* kernel, T* to) {
  transform_kernel<T, Scheme, KernelLayout::plain>(kernel, shape.channels, shape.filters, to);
}

}  // namespace

bool fits_winograd(const ConvGeometry& geometry) {
  const auto is_plain = [](const WindowAxis& axis) { return axis.stride == 1 && axis.dilation == 1; };
  const std::int64_t rows = geometry.rows.window;
  const std::int64_t columns = geometry.columns.window;
  return geometry.groups == 1 && is_plain(geometry.rows) && is_plain(geometry.columns) && geometry.pixels() > 0 &&
         ((rows == 3 && columns == 3) || (rows == 1 && (columns == 3 || columns == 5)));
}

template <class T>
std::size_t WinogradForward<T>::packed_bytes() const {
  return with_scheme(geometry_, output_of(geometry_), algorithm_, [&]<class Scheme>(SchemeTag<Scheme>) {
    return kernel_bytes<T, Scheme>(forward_shape(geometry_));
  });
}

template <class T>
void WinogradForward<T>::pack(const T* kernel, T* to) const {
  with_scheme(geometry_, output_of(geometry_), algorithm_,
              [&]<class Scheme>(SchemeTag<Scheme>) { pack_plain<T, Scheme>(forward_shape(geometry_), kernel, to); });
}

template <class T>
std::size_t WinogradForward<T>::workspace_bytes() const {
  return with_scheme(geometry_, output_of(geometry_), algorithm_, [&]<class Scheme>(SchemeTag<Scheme>) {
    return WinogradConv<T, Scheme>(forward_shape(geometry_), nullptr).workspace_bytes();
  });
}

template <class T>
void WinogradForward<T>::run(const T* x, const T* packed, const TileResult<T>& result, T* y, void* workspace) const {
  with_scheme(geometry_, output_of(geometry_), algorithm_, [&]<class Scheme>(SchemeTag<Scheme>) {
    convolve_to_images<T, Scheme>(forward_shape(geometry_), x, packed, result, y, workspace);
  });
}

template <class T>
std::size_t WinogradForwardPooled<T>::packed_bytes() const {
  return with_even_square(
      algorithm_, [&]<class Scheme>(SchemeTag<Scheme>) { return kernel_bytes<T, Scheme>(forward_shape(geometry_)); });
}

template <class T>
void WinogradForwardPooled<T>::pack(const T* kernel, T* to) const {
  with_even_square(algorithm_, [&]<class Scheme>(SchemeTag<Scheme>) {
    pack_plain<T, Scheme>(forward_shape(geometry_), kernel, to);
  });
}

template <class T>
std::size_t WinogradForwardPooled<T>::workspace_bytes() const {
  return with_even_square(algorithm_, [&]<class Scheme>(SchemeTag<Scheme>) {
    return WinogradConv<T, Scheme>(forward_shape(geometry_), nullptr).workspace_bytes();
  });
}

template <class T>
void WinogradForwardPooled<T>::run(const T* x, const T* packed, const TileResult<T>& result, T* y, std::uint8_t* index,
                                   void* workspace) const {
  with_even_square(algorithm_, [&]<class Scheme>(SchemeTag<Scheme>) {
    if (index != nullptr) {
      convolve_to_pooled<T, Scheme, true>(forward_shape(geometry_), x, packed, result, y, index, workspace);
    } else {
      convolve_to_pooled<T, Scheme, false>(forward_shape(geometry_), x, packed, result, y, nullptr, workspace);
    }
  });
}

template <class T>
std::size_t WinogradInputGradient<T>::packed_bytes() const {
  return with_backward_scheme(geometry_, algorithm_, [&]<class Scheme>(const WinogradShape& shape, SchemeTag<Scheme>) {
    return kernel_bytes<T, Scheme>(shape);
  });
}

template <class T>
void WinogradInputGradient<T>::pack(const T* kernel, T* to) const {
  with_backward_scheme(geometry_, algorithm_, [&]<class Scheme>(const WinogradShape& shape, SchemeTag<Scheme>) {
    constexpr auto layout = std::is_same_v<Scheme, OneTile> ? KernelLayout::transposed : KernelLayout::rotated;
    transform_kernel<T, Scheme, layout>(kernel, shape.channels, shape.filters, to);
  });
}

template <class T>
std::size_t WinogradInputGradient<T>::workspace_bytes() const {
  return with_backward_scheme(geometry_, algorithm_, [&]<class Scheme>(const WinogradShape& shape, SchemeTag<Scheme>) {
    return WinogradConv<T, Scheme>(shape, nullptr).workspace_bytes();
  });
}

template <class T>
void WinogradInputGradient<T>::run(const T* dy, const T* packed, T* dx, void* workspace) const {
  with_backward_scheme(geometry_, algorithm_, [&]<class Scheme>(const WinogradShape& shape, SchemeTag<Scheme>) {
    convolve_to_images<T, Scheme>(shape, dy, packed, {}, dx, workspace);
  });
}

template <class T>
std::size_t WinogradKernelDerivative<T>::workspace_bytes() const {
  return with_even_scheme(geometry_, algorithm_, [&]<class Scheme>(SchemeTag<Scheme>) {
    return WinogradKernelGradient<T, Scheme>(forward_shape(geometry_), nullptr).workspace_bytes();
  });
}

template <class T>
void WinogradKernelDerivative<T>::run(const T* x, const T* dy, T* gradient, bool accumulate, void* workspace) const {
  with_even_scheme(geometry_, algorithm_, [&]<class Scheme>(SchemeTag<Scheme>) {
    WinogradKernelGradient<T, Scheme>(forward_shape(geometry_), workspace).run(x, dy, gradient, accumulate);
  });
}

template class WinogradForward<float>;
template class WinogradForward<double>;
template class WinogradForwardPooled<float>;
template class WinogradForwardPooled<double>;
template class WinogradInputGradient<float>;
template class WinogradInputGradient<double>;
template class WinogradKernelDerivative<float>;
template class WinogradKernelDerivative<double>;

}  // namespace rhyton::cpu
