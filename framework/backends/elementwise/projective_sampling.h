#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/elementwise/function.h>
#include <rhyton/framework/ops/image/projective_transform.h>

// Which pixels of an image ImageProjectiveTransformV3 reads, as functions of single numbers, for all backends. A product
// is rounded before it is added to, as in TensorFlow: which pixel is the nearest one depends on it.

namespace rhyton::elementwise {

RHYTON_HOST_DEVICE inline float rounded_product(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  // On the CPU the compiler is told (cmake/Library.cmake).
  return a * b;
#endif
}

/// A place in an image. It is not seen where the divisor is 0.
struct SampledPlace {
  float x;
  float y;
  bool is_seen;
};

/// coordinate - step * floor(coordinate / period)
RHYTON_HOST_DEVICE inline float without_periods(float coordinate, float step, float period) {
  return coordinate - rounded_product(step, std::floor(coordinate / period));
}

/// A coordinate beyond the border moved into the image. Constant ones stay where they are.
RHYTON_HOST_DEVICE inline float into_image(float coordinate, float length, image::FillMode mode) {
  if (mode == image::FillMode::constant) return coordinate;
  const float last = length - 1;
  if (length == 1) return rounded_product(coordinate, 0.0F);
  if (mode == image::FillMode::reflect) {
    const float period = 2 * length;
    if (coordinate < 0) {
      const float rest = without_periods(-coordinate, period, period);
      coordinate = rest > length ? period - rest : rest - 1;
    } else if (coordinate > last) {
      const float rest = without_periods(coordinate, period, period);
      coordinate = rest >= length ? period - 1 - rest : rest;
    }
  } else if (mode == image::FillMode::wrap) {
    if (coordinate < 0) {
      coordinate = coordinate + rounded_product(length, std::floor(-coordinate / last) + 1);
    } else if (coordinate > last) {
      coordinate = without_periods(coordinate, length, last);
    }
  }
  // Not a number stays one.
  return coordinate < 0 ? 0 : (coordinate > last ? last : coordinate);
}

/// The place that the pixel (x, y) of the result is read from, in an image of these lengths, for the eight numbers of
/// its transform.
RHYTON_HOST_DEVICE inline SampledPlace sampled_place(const float* transform, float x, float y, float width,
                                                     float height, image::FillMode mode) {
  const auto combined = [&](const float* factors) {
    return rounded_product(factors[0], x) + rounded_product(factors[1], y);
  };
  const float depth = combined(transform + 6) + 1;
  if (depth == 0) return {0, 0, false};
  return {into_image((combined(transform) + transform[2]) / depth, width, mode),
          into_image((combined(transform + 3) + transform[5]) / depth, height, mode), true};
}

/// A number as an element; of integers the integer part, limited to the range of the type.
template <class T>
RHYTON_HOST_DEVICE T sampled_element(float number) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return static_cast<T>(number);
  } else if constexpr (std::is_integral_v<T>) {
    constexpr auto bits = static_cast<int>(sizeof(T) * 8 - 1);
    constexpr auto limit = static_cast<float>(std::uint64_t{1} << bits);
    if (number >= limit) return static_cast<T>((static_cast<std::make_unsigned_t<T>>(1) << bits) - 1);
    return static_cast<T>(number);
  } else {
    return static_cast<T>(number);
  }
}

/// The four pixels around a place, and their weights: along y, and along x.
struct BilinearPlace {
  /// The whole numbers below the place, as floating-point numbers, which may be far outside.
  float top;
  float left;
  /// Of the pixels at `top`, `top + 1`, `left`, `left + 1`.
  float upper_weight;
  float lower_weight;
  float left_weight;
  float right_weight;
};

RHYTON_HOST_DEVICE inline BilinearPlace bilinear_place(const SampledPlace& place) {
  const float top = std::floor(place.y);
  const float left = std::floor(place.x);
  return {top, left, top + 1 - place.y, place.y - top, left + 1 - place.x, place.x - left};
}

RHYTON_HOST_DEVICE inline bool is_inside(float coordinate, float length) {
  return coordinate >= 0 && coordinate < length;
}

RHYTON_HOST_DEVICE inline float weighted(float first_weight, float first, float second_weight, float second) {
  return rounded_product(first_weight, first) + rounded_product(second_weight, second);
}

}  // namespace rhyton::elementwise
