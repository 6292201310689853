#pragma once

#include <cstring>
#include <limits>

#include <rhyton/framework/backends/cpu/pooling/geometry.h>
#include <rhyton/framework/backends/cpu/primitives/bytes.h>

namespace rhyton::cpu {

template <class T>
__attribute__((always_inline)) inline void load_index(MaskVector<T>& place, const std::uint8_t* from) {
  load_bytes<T>(place, from);
}
template <class T>
__attribute__((always_inline)) inline void load_index(MaskVector<T>& place, const std::int32_t* from) {
  typename VectorOf<std::int32_t, vector_length<T>>::Type narrow;
  std::memcpy(&narrow, from, sizeof(narrow));
  place = __builtin_convertvector(narrow, MaskVector<T>);
}

template <class T>
__attribute__((always_inline)) inline void store_index(std::uint8_t* to, const MaskVector<T>& place) {
  store_bytes<T>(to, place);
}
template <class T>
__attribute__((always_inline)) inline void store_index(std::int32_t* to, const MaskVector<T>& place) {
  const auto narrow = __builtin_convertvector(place, typename VectorOf<std::int32_t, vector_length<T>>::Type);
  std::memcpy(to, &narrow, sizeof(narrow));
}

/// ReLU of the largest cell: if it is not positive, it becomes 0 and its position `nowhere`.
template <class T>
__attribute__((always_inline)) inline void cut(Vector<T>& best, MaskVector<T>& place, std::int64_t nowhere) {
  place = best > Vector<T>{} ? place : MaskVector<T>{} + static_cast<MaskElement<T>>(nowhere);
  best = best < Vector<T>{} ? Vector<T>{} : best;
}

/// Whether all windows are 2 x 2, whole, and of channels that fill registers.
template <class T>
bool has_plain_windows(const PoolGeometry& geometry) {
  const auto is_plain = [](const WindowAxis& axis) {
    return axis.window == 2 && axis.pad_before == 0 && (axis.output - 1) * axis.stride + 2 <= axis.input;
  };
  return is_plain(geometry.rows) && is_plain(geometry.columns) && geometry.channels % vector_length<T> == 0;
}

/// `max_pool` for plain windows. Returns false when a window begins with NaN: the results are then invalid.
template <class T, class Index, bool is_cut, bool has_index>
bool max_pool_plain(const PoolGeometry& geometry, const T* x, T* y, Index* index) {
  const std::int64_t channels = geometry.channels;
  const std::int64_t line = geometry.columns.input * channels;
  MaskVector<T> began_with_nan{};
  for (std::int64_t image = 0; image < geometry.images; ++image) {
    for (std::int64_t row = 0; row < geometry.rows.output; ++row) {
      const T* const top = x + image * geometry.image_size() + row * geometry.rows.stride * line;
      for (std::int64_t column = 0; column < geometry.columns.output; ++column) {
        const T* const window = top + column * geometry.columns.stride * channels;
        for (std::int64_t channel = 0; channel < channels; channel += vector_length<T>) {
          Vector<T> best;
          load<T>(best, window + channel);
          began_with_nan = best != best ? ~MaskVector<T>{} : began_with_nan;
          MaskVector<T> place{};
          repeat<3>([&](auto i) __attribute__((always_inline)) {
            constexpr int position = i + 1;
            Vector<T> cell;
            load<T>(cell, window + position / 2 * line + position % 2 * channels + channel);
            const MaskVector<T> wins = cell > best;
            best = wins ? cell : best;
            if constexpr (has_index) place = wins ? MaskVector<T>{} + static_cast<MaskElement<T>>(position) : place;
          });
          if constexpr (is_cut) cut<T>(best, place, 4);
          store<T>(y + channel, best);
          if constexpr (has_index) store_index<T>(index + channel, place);
        }
        y += channels;
        if constexpr (has_index) index += channels;
      }
    }
  }
  bool is_usable = true;
  for (int i = 0; i < vector_length<T>; ++i) is_usable = is_usable && began_with_nan[i] == 0;
  return is_usable;
}

/// The largest value of each window and channel, and its position in the window. With `is_cut`, values that are not
/// positive become 0 and their index the number of cells in a window: ReLU, as if applied before or after. `index` may
/// be null.
template <class T, class Index, bool is_cut>
void max_pool(const PoolGeometry& geometry, const T* x, T* y, Index* index) {
  if (has_plain_windows<T>(geometry)) {
    if (index != nullptr ? max_pool_plain<T, Index, is_cut, true>(geometry, x, y, index)
                         : max_pool_plain<T, Index, is_cut, false>(geometry, x, y, index)) {
      return;
    }
  }
  const std::int64_t channels = geometry.channels;
  [[maybe_unused]] const std::int64_t nowhere = geometry.rows.window * geometry.columns.window;
  for_each_window(geometry, [&](const PoolWindow& window, std::int64_t pixel) {
    const T* const image = x + window.image * geometry.image_size();
    // A cell wins that is greater, or follows a NaN: only a window of NaN gives NaN.
    for_each_channel<T>(
        channels,
        [&](std::int64_t channel) {
          Vector<T> best = Vector<T>{} + std::numeric_limits<T>::quiet_NaN();
          MaskVector<T> place{};
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t position) __attribute__((always_inline)) {
                Vector<T> cell;
                load<T>(cell, image + offset + channel);
                const MaskVector<T> wins = (cell > best) | (best != best);
                best = wins ? cell : best;
                place = wins ? MaskVector<T>{} + static_cast<MaskElement<T>>(position) : place;
              });
          if constexpr (is_cut) cut<T>(best, place, nowhere);
          store<T>(y + pixel * channels + channel, best);
          if (index != nullptr) store_index<T>(index + pixel * channels + channel, place);
        },
        [&](std::int64_t channel) {
          T best = std::numeric_limits<T>::quiet_NaN();
          std::int64_t place = 0;
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t position) __attribute__((always_inline)) {
                const T cell = image[offset + channel];
                if (!(cell > best || best != best)) return;
                best = cell;
                place = position;
              });
          if constexpr (is_cut) {
            if (!(best > T())) place = nowhere;
            if (best < T()) best = T();
          }
          y[pixel * channels + channel] = best;
          if (index != nullptr) index[pixel * channels + channel] = static_cast<Index>(place);
        });
  });
}

/// Adds each gradient to the cell of its index, if there is one of that number.
template <class T, class Index>
void max_pool_gradient(const PoolGeometry& geometry, const T* dy, const Index* index, T* dx) {
  const std::int64_t channels = geometry.channels;
  const bool adds = geometry.windows_overlap();
  if (!geometry.tiles_exactly()) std::fill(dx, dx + geometry.images * geometry.image_size(), T());
  for_each_window(geometry, [&](const PoolWindow& window, std::int64_t pixel) {
    T* const image = dx + window.image * geometry.image_size();
    for_each_channel<T>(
        channels,
        [&](std::int64_t channel) {
          Vector<T> gradient;
          load<T>(gradient, dy + pixel * channels + channel);
          MaskVector<T> place;
          load_index<T>(place, index + pixel * channels + channel);
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t position) __attribute__((always_inline)) {
                Vector<T> cell = place == static_cast<MaskElement<T>>(position) ? gradient : Vector<T>{};
                T* const to = image + offset + channel;
                if (adds) {
                  Vector<T> before;
                  load<T>(before, to);
                  cell += before;
                }
                store<T>(to, cell);
              });
        },
        [&](std::int64_t channel) {
          const T gradient = dy[pixel * channels + channel];
          const std::int64_t place = index[pixel * channels + channel];
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t position) __attribute__((always_inline)) {
                const T cell = place == position ? gradient : T();
                T& to = image[offset + channel];
                to = adds ? to + cell : cell;
              });
        });
  });
}

}  // namespace rhyton::cpu
