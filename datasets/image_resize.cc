#include <rhyton/datasets/image_resize.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string_view>
#include <vector>

namespace rhyton::datasets {
namespace {

constexpr float pi = std::numbers::pi_v<float>;

/// One pixel of the result as a weighted sum along an axis: pixels from `first` on and their weights.
struct Contribution {
  std::int64_t first = 0;
  std::vector<float> weights;
};

/// The ratio of the lengths `from` and `to`.
float scale_of(std::int64_t from, std::int64_t to) { return static_cast<float>(from) / static_cast<float>(to); }

/// The position of a pixel of the result in the image, with pixel centres at integers.
float center_of(std::int64_t pixel, float scale) { return (static_cast<float>(pixel) + 0.5F) * scale - 0.5F; }

// --- Bicubic ---------------------------------------------------------------------------------------------------------

/// Keys's cubic filter. TensorFlow rounds distances to steps of 2⁻¹⁰.
float keys_cubic(float distance) {
  constexpr float a = -0.5F;
  if (distance <= 1) return ((a + 2) * distance - (a + 3)) * distance * distance + 1;
  return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a;
}

Contribution bicubic(std::int64_t from, float center) {
  constexpr float steps = 1024;
  const float below = std::floor(center);
  const float fraction = std::nearbyint((center - below) * steps) / steps;
  const std::array<float, 4> weights = {keys_cubic(fraction + 1), keys_cubic(fraction), keys_cubic(1 - fraction),
                                        keys_cubic(2 - fraction)};
  Contribution result;
  float sum = 0;
  // Pixels beyond the edge are ignored.
  const std::int64_t first = static_cast<std::int64_t>(below) - 1;
  for (std::int64_t i = 0; i < 4; ++i) {
    if (first + i < 0 || first + i >= from) continue;
    if (result.weights.empty()) result.first = first + i;
    result.weights.push_back(weights[static_cast<std::size_t>(i)]);
    sum += result.weights.back();
  }
  for (float& weight : result.weights) weight /= sum;
  return result;
}

// --- Area ------------------------------------------------------------------------------------------------------------

Contribution area(std::int64_t from, std::int64_t pixel, float scale) {
  const float begin = static_cast<float>(pixel) * scale;
  const float end = static_cast<float>(pixel + 1) * scale;
  Contribution result;
  result.first = std::min(static_cast<std::int64_t>(std::floor(begin)), from - 1);
  const std::int64_t last = std::max(std::min(static_cast<std::int64_t>(std::ceil(end)), from), result.first + 1);
  for (std::int64_t i = result.first; i < last; ++i) {
    const auto left = static_cast<float>(i);
    // The covered fraction of the pixel.
    const bool is_around = left < begin && left + 1 > end;
    const float part = is_around ? scale : std::min(left + 1, end) - std::max(left, begin);
    result.weights.push_back(part / scale);
  }
  return result;
}

// --- Functions of the distance -----------------------------------------------------------------------------------

struct ResizeKernel {
  float (*weight)(float distance);
  float radius;
};

float lanczos(float radius, float x) {
  constexpr float near = 1e-3F;
  if (x > radius) return 0;
  if (x <= near) return 1;
  return radius * std::sin(pi * x) * std::sin(pi * x / radius) / (pi * pi * x * x);
}

float lanczos3(float x) { return lanczos(3, x); }
float lanczos5(float x) { return lanczos(5, x); }

float gaussian(float x) {
  constexpr float radius = 1.5F;
  constexpr float deviation = radius / 3;
  return x >= radius ? 0 : std::exp(-x * x / (2 * deviation * deviation));
}

// The filter of Mitchell and Netravali, with B = C = 1/3.
float mitchell(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-7.0F / 18 * x + 2) * x - 10.0F / 3) * x + 16.0F / 9;
  return (7.0F / 6 * x - 2) * x * x + 8.0F / 9;
}

ResizeKernel kernel_of(ResizeMethod method) {
  switch (method) {
    case ResizeMethod::lanczos3:
      return {lanczos3, 3};
    case ResizeMethod::lanczos5:
      return {lanczos5, 5};
    case ResizeMethod::gaussian:
      return {gaussian, 1.5F};
    default:
      return {mitchell, 2};
  }
}

/// `position` is that of the pixel in the image, with pixel centres at halves.
Contribution weighted(std::int64_t from, float position, const ResizeKernel& kernel) {
  const auto bounded = [&](float pixel) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(pixel), 0, from - 1);
  };
  Contribution result;
  result.first = bounded(std::ceil(position - kernel.radius - 0.5F));
  const std::int64_t last = bounded(std::floor(position + kernel.radius - 0.5F));
  float sum = 0;
  for (std::int64_t i = result.first; i <= last; ++i) {
    result.weights.push_back(kernel.weight(std::abs(static_cast<float>(i) + 0.5F - position)));
    sum += result.weights.back();
  }
  if (std::abs(sum) >= 1000 * std::numeric_limits<float>::min()) {
    for (float& weight : result.weights) weight /= sum;
  }
  return result;
}

std::vector<Contribution> contributions(std::int64_t from, std::int64_t to, ResizeMethod method) {
  const float scale = scale_of(from, to);
  std::vector<Contribution> result;
  for (std::int64_t pixel = 0; pixel < to; ++pixel) {
    if (method == ResizeMethod::bicubic) {
      result.push_back(bicubic(from, center_of(pixel, scale)));
    } else if (method == ResizeMethod::area) {
      result.push_back(area(from, pixel, scale));
    } else {
      // Divided twice, as in TensorFlow: the rounding decides whether pixels on the edge of a filter contribute.
      const float per_pixel = 1 / scale_of(to, from);
      result.push_back(weighted(from, (static_cast<float>(pixel) + 0.5F) * per_pixel, kernel_of(method)));
    }
  }
  return result;
}

/// Combines rows first, then the columns of the combined row.
void resize_separably(const PixelView<const std::uint8_t>& from, const PixelView<float>& to, ResizeMethod method) {
  const std::vector<Contribution> rows = contributions(from.size.height, to.size.height, method);
  const std::vector<Contribution> columns = contributions(from.size.width, to.size.width, method);
  std::vector<float> mixed(static_cast<std::size_t>(from.size.width * from.channels));
  float* to_row = to.pixels;
  for (const Contribution& row : rows) {
    std::fill(mixed.begin(), mixed.end(), 0.0F);
    const std::uint8_t* from_row = from.pixels + row.first * from.row_stride;
    for (const float weight : row.weights) {
      for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] += weight * static_cast<float>(from_row[i]);
      from_row += from.row_stride;
    }
    float* pixel = to_row;
    for (const Contribution& column : columns) {
      std::fill_n(pixel, to.channels, 0.0F);
      const float* source = mixed.data() + column.first * from.channels;
      for (const float weight : column.weights) {
        for (std::int64_t channel = 0; channel < to.channels; ++channel) pixel[channel] += weight * source[channel];
        source += from.channels;
      }
      pixel += to.channels;
    }
    to_row += to.row_stride;
  }
}

// --- Bilinear --------------------------------------------------------------------------------------------------------

/// The two pixels around a pixel of the result, and its distance from the first.
struct Between {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  float fraction = 0;
};

std::vector<Between> betweens(std::int64_t from, std::int64_t to) {
  const float scale = scale_of(from, to);
  std::vector<Between> result;
  for (std::int64_t pixel = 0; pixel < to; ++pixel) {
    const float center = center_of(pixel, scale);
    const float below = std::floor(center);
    result.push_back({.lower = std::max<std::int64_t>(static_cast<std::int64_t>(below), 0),
                      .upper = std::min<std::int64_t>(static_cast<std::int64_t>(std::ceil(center)), from - 1),
                      .fraction = center - below});
  }
  return result;
}

void resize_bilinearly(const PixelView<const std::uint8_t>& from, const PixelView<float>& to) {
  const std::vector<Between> rows = betweens(from.size.height, to.size.height);
  const std::vector<Between> columns = betweens(from.size.width, to.size.width);
  float* to_row = to.pixels;
  for (const Between& row : rows) {
    const std::uint8_t* upper = from.pixels + row.lower * from.row_stride;
    const std::uint8_t* lower = from.pixels + row.upper * from.row_stride;
    float* pixel = to_row;
    for (const Between& column : columns) {
      const std::int64_t left = column.lower * from.channels;
      const std::int64_t right = column.upper * from.channels;
      for (std::int64_t channel = 0; channel < to.channels; ++channel) {
        const auto between = [&](const std::uint8_t* line) {
          const auto first = static_cast<float>(line[left + channel]);
          return first + (static_cast<float>(line[right + channel]) - first) * column.fraction;
        };
        const float top = between(upper);
        *pixel++ = top + (between(lower) - top) * row.fraction;
      }
    }
    to_row += to.row_stride;
  }
}

/// The index of the nearest pixel for each of `to`.
std::vector<std::int64_t> nearest(std::int64_t from, std::int64_t to) {
  const float scale = scale_of(from, to);
  std::vector<std::int64_t> result;
  for (std::int64_t pixel = 0; pixel < to; ++pixel) {
    const float position = std::floor((static_cast<float>(pixel) + 0.5F) * scale);
    result.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(position), 0, from - 1));
  }
  return result;
}

}  // namespace

std::optional<ResizeMethod> resize_method(const std::string& name) {
  // In the order of the enumeration.
  constexpr std::array<std::string_view, 8> names = {"bilinear", "nearest",  "bicubic",  "area",
                                                     "lanczos3", "lanczos5", "gaussian", "mitchellcubic"};
  const auto* const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<ResizeMethod>(found - names.begin());
}

void resize_image(const PixelView<const std::uint8_t>& from, const PixelView<float>& to, ResizeMethod method) {
  if (method == ResizeMethod::bilinear) {
    resize_bilinearly(from, to);
  } else {
    resize_separably(from, to, method);
  }
}

void resize_image_nearest(const PixelView<const std::uint8_t>& from, const PixelView<std::uint8_t>& to) {
  const std::vector<std::int64_t> rows = nearest(from.size.height, to.size.height);
  const std::vector<std::int64_t> columns = nearest(from.size.width, to.size.width);
  std::uint8_t* to_row = to.pixels;
  for (const std::int64_t row : rows) {
    const std::uint8_t* from_row = from.pixels + row * from.row_stride;
    std::uint8_t* pixel = to_row;
    for (const std::int64_t column : columns) {
      pixel = std::copy_n(from_row + column * from.channels, from.channels, pixel);
    }
    to_row += to.row_stride;
  }
}

}  // namespace rhyton::datasets
