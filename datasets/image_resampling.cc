#include <rhyton/datasets/image_resampling.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>
#include <vector>

namespace rhyton::datasets {
namespace {

constexpr double pi = std::numbers::pi;

double box(double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }

double triangle(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

double hamming(double x) {
  const double distance = std::abs(x);
  if (distance == 0.0) return 1.0;
  if (distance >= 1.0) return 0.0;
  const double angle = distance * pi;
  return std::sin(angle) / angle * (0.54 + 0.46 * std::cos(angle));
}

// Keys's cubic filter, with Pillow's slope.
double cubic(double x) {
  constexpr double a = -0.5;
  const double distance = std::abs(x);
  if (distance < 1.0) return ((a + 2.0) * distance - (a + 3.0)) * distance * distance + 1;
  if (distance < 2.0) return (((distance - 5) * distance + 8) * distance - 4) * a;
  return 0.0;
}

double sinc(double x) {
  if (x == 0.0) return 1.0;
  const double angle = x * pi;
  return std::sin(angle) / angle;
}

double lanczos(double x) { return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0; }

/// A filter as a function of the distance in pixels, zero beyond `radius`.
struct ResamplingKernel {
  double (*weight)(double);
  double radius;
};

ResamplingKernel kernel_of(ResamplingFilter filter) {
  switch (filter) {
    case ResamplingFilter::bilinear:
      return {triangle, 1.0};
    case ResamplingFilter::bicubic:
      return {cubic, 2.0};
    case ResamplingFilter::hamming:
      return {hamming, 1.0};
    case ResamplingFilter::lanczos:
      return {lanczos, 3.0};
    case ResamplingFilter::nearest:
    case ResamplingFilter::box:
      break;
  }
  return {box, 0.5};
}

constexpr int fraction_bits = 22;  // leaves bits for the sum of a few products of bytes

/// One pixel of the result as a weighted sum: pixels from `first` on, with weights in 2⁻²².
struct Contribution {
  std::int64_t first = 0;
  std::vector<std::int32_t> weights;
};

/// The contributions to each of `to` pixels along an axis of `length` pixels, from `count` pixels starting at `begin`.
std::vector<Contribution> contributions(std::int64_t length, std::int64_t begin, std::int64_t count, std::int64_t to,
                                        const ResamplingKernel& kernel) {
  const double scale = static_cast<double>(count) / static_cast<double>(to);
  const double stretch = std::max(scale, 1.0);
  const double radius = kernel.radius * stretch;
  const double per_stretch = 1.0 / stretch;
  std::vector<Contribution> result;
  std::vector<double> weights;
  for (std::int64_t i = 0; i < to; ++i) {
    const double center = static_cast<double>(begin) + (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::trunc(center - radius + 0.5)));
    const auto last = std::min<std::int64_t>(length, static_cast<std::int64_t>(std::trunc(center + radius + 0.5)));
    weights.clear();
    double sum = 0;
    for (std::int64_t pixel = first; pixel < last; ++pixel) {
      weights.push_back(kernel.weight((static_cast<double>(pixel) - center + 0.5) * per_stretch));
      sum += weights.back();
    }
    Contribution contribution = {.first = first, .weights = {}};
    const double per_sum = sum == 0.0 ? 1.0 : 1.0 / sum;
    for (const double weight : weights) {
      const double scaled = weight * per_sum * (1 << fraction_bits);
      contribution.weights.push_back(static_cast<std::int32_t>(scaled + (scaled < 0 ? -0.5 : 0.5)));
    }
    result.push_back(std::move(contribution));
  }
  return result;
}

std::uint8_t level(std::int32_t sum) { return static_cast<std::uint8_t>(std::clamp(sum >> fraction_bits, 0, 255)); }

/// One pass along an axis with `step` bytes between its pixels, over `lines` adjacent lines.
struct AxisPass {
  const std::uint8_t* from;
  std::uint8_t* to;
  std::int64_t step;
  std::int64_t lines;
};

void apply(const AxisPass& pass, const std::vector<Contribution>& contributions) {
  std::uint8_t* to = pass.to;
  for (const Contribution& contribution : contributions) {
    for (std::int64_t line = 0; line < pass.lines; ++line) {
      std::int32_t sum = 1 << (fraction_bits - 1);
      const std::uint8_t* from = pass.from + contribution.first * pass.step + line;
      for (const std::int32_t weight : contribution.weights) {
        sum += *from * weight;
        from += pass.step;
      }
      to[line] = level(sum);
    }
    to += pass.step;
  }
}

Tensor across(const Tensor& image, const std::vector<Contribution>& columns) {
  const std::int64_t height = image.shape()[0];
  const std::int64_t width = image.shape()[1];
  const std::int64_t channels = image.shape()[2];
  const auto to = static_cast<std::int64_t>(columns.size());
  Tensor result = Tensor::uninitialized({height, to, channels}, DType::uint8);
  for (std::int64_t row = 0; row < height; ++row) {
    apply({image.data<std::uint8_t>() + row * width * channels,
           result.mutable_data<std::uint8_t>() + row * to * channels, channels, channels},
          columns);
  }
  return result;
}

Tensor down(const Tensor& image, const std::vector<Contribution>& rows) {
  const std::int64_t row_bytes = image.shape()[1] * image.shape()[2];
  Tensor result = Tensor::uninitialized(image.shape().with(0, static_cast<std::int64_t>(rows.size())), DType::uint8);
  apply({image.data<std::uint8_t>(), result.mutable_data<std::uint8_t>(), row_bytes, row_bytes}, rows);
  return result;
}

Tensor filtered(const Tensor& image, const ImageBox& box, const ImageSize& size, const ResamplingKernel& kernel) {
  const std::int64_t height = image.shape()[0];
  const std::int64_t width = image.shape()[1];
  Tensor result = image;
  if (size.width != width || box.left != 0 || box.size.width != width) {
    result = across(result, contributions(width, box.left, box.size.width, size.width, kernel));
  }
  if (size.height != height || box.top != 0 || box.size.height != height) {
    result = down(result, contributions(height, box.top, box.size.height, size.height, kernel));
  }
  return result;
}

/// The index of the nearest pixel for each of `to`. Positions are accumulated with rounding errors, as in Pillow.
std::vector<std::int64_t> nearest(std::int64_t begin, std::int64_t count, std::int64_t to) {
  const double scale = static_cast<double>(count) / static_cast<double>(to);
  double position = static_cast<double>(begin) + scale * 0.5;
  std::vector<std::int64_t> pixels;
  for (std::int64_t i = 0; i < to; ++i) {
    pixels.push_back(std::min(static_cast<std::int64_t>(position), begin + count - 1));
    position += scale;
  }
  return pixels;
}

Tensor nearest_neighbours(const Tensor& image, const ImageBox& box, const ImageSize& size) {
  const std::int64_t channels = image.shape()[2];
  const std::vector<std::int64_t> rows = nearest(box.top, box.size.height, size.height);
  const std::vector<std::int64_t> columns = nearest(box.left, box.size.width, size.width);
  Tensor result = Tensor::uninitialized({size.height, size.width, channels}, DType::uint8);
  auto* to = result.mutable_data<std::uint8_t>();
  for (const std::int64_t row : rows) {
    const std::uint8_t* from = image.data<std::uint8_t>() + row * image.shape()[1] * channels;
    for (const std::int64_t column : columns) to = std::copy_n(from + column * channels, channels, to);
  }
  return result;
}

/// a · b / 255, rounded.
std::uint8_t product(std::uint8_t a, std::uint8_t b) {
  const int sum = a * b + 128;
  return static_cast<std::uint8_t>(((sum >> 8) + sum) >> 8);
}

Tensor multiplied_by_alpha(const Tensor& image) {
  Tensor result = image.clone();
  auto* pixel = result.mutable_data<std::uint8_t>();
  for (std::int64_t i = 0; i < image.size(); i += 4, pixel += 4) {
    for (int color = 0; color < 3; ++color) pixel[color] = product(pixel[color], pixel[3]);
  }
  return result;
}

void divide_by_alpha(Tensor& image) {
  auto* pixel = image.mutable_data<std::uint8_t>();
  for (std::int64_t i = 0; i < image.size(); i += 4, pixel += 4) {
    const int alpha = pixel[3];
    if (alpha == 0 || alpha == 255) continue;
    for (int color = 0; color < 3; ++color) {
      pixel[color] = static_cast<std::uint8_t>(std::min(255, 255 * pixel[color] / alpha));
    }
  }
}

}  // namespace

std::optional<ResamplingFilter> resampling_filter(const std::string& name) {
  // In the order of the enumeration.
  constexpr std::array<std::string_view, 6> names = {"nearest", "bilinear", "bicubic", "hamming", "box", "lanczos"};
  const auto* const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<ResamplingFilter>(found - names.begin());
}

Tensor resample_image(const Tensor& image, const ImageBox& box, const ImageSize& size, ResamplingFilter filter) {
  if (filter == ResamplingFilter::nearest) return nearest_neighbours(image, box, size);
  const ResamplingKernel kernel = kernel_of(filter);
  if (image.shape()[2] != 4) return filtered(image, box, size, kernel);
  Tensor result = filtered(multiplied_by_alpha(image), box, size, kernel);
  divide_by_alpha(result);
  return result;
}

}  // namespace rhyton::datasets
