#include <rhyton/framework/ops/image/interpolation_weights.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace image {
namespace {

// In the order in which Keras lists them.
constexpr std::array<std::pair<Interpolation, std::string_view>, 6> names = {{{Interpolation::bilinear, "bilinear"},
                                                                              {Interpolation::nearest, "nearest"},
                                                                              {Interpolation::lanczos3, "lanczos3"},
                                                                              {Interpolation::lanczos5, "lanczos5"},
                                                                              {Interpolation::bicubic, "bicubic"},
                                                                              {Interpolation::area, "area"}}};

/// The most elements of a matrix of weights that has more than one row.
constexpr std::int64_t max_weights = 1 << 16;

/// Weights of the inputs from `begin` on. Those outside are left out, the others add up to 1.
InterpolationSpan normalized(std::int64_t begin, std::int64_t input, const std::vector<float>& weights) {
  InterpolationSpan span;
  span.begin = std::clamp<std::int64_t>(begin, 0, input - 1);
  float sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::int64_t place = begin + static_cast<std::int64_t>(i);
    if (place < 0 || place >= input) continue;
    span.weights.push_back(weights[i]);
    sum += weights[i];
  }
  for (float& weight : span.weights) weight /= sum;
  return span;
}

/// Keys's cubic with a = -0.5. `x` is a distance below 2.
float cubic(float x) {
  constexpr float a = -0.5F;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

float lanczos(float x, float radius) {
  if (x > radius) return 0;
  if (x <= 1e-3F) return 1;
  constexpr float pi = std::numbers::pi_v<float>;
  return radius * std::sin(pi * x) * std::sin(pi * x / radius) / (pi * pi * x * x);
}

/// A function of the distance, and where it ends.
struct Filter {
  float radius;
  float (*value)(float distance);
};

Filter filter_of(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::lanczos3:
      return {3, [](float x) { return lanczos(x, 3); }};
    case Interpolation::lanczos5:
      return {5, [](float x) { return lanczos(x, 5); }};
    case Interpolation::bicubic:
      return {2, [](float x) { return x < 2 ? cubic(x) : 0; }};
    default:
      return {1, [](float x) { return std::max(1 - x, 0.0F); }};
  }
}

/// The filter around `centre`, made wider by the factor `stretch`.
InterpolationSpan filtered(const Filter& filter, float stretch, std::int64_t input, float centre) {
  const float reach = filter.radius * stretch;
  const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(centre - reach - 0.5F)), 0);
  const auto last = std::min<std::int64_t>(static_cast<std::int64_t>(std::floor(centre + reach - 0.5F)), input - 1);
  std::vector<float> weights;
  for (std::int64_t place = first; place <= last; ++place) {
    weights.push_back(filter.value(std::abs(static_cast<float>(place) + 0.5F - centre) / stretch));
  }
  return normalized(first, input, weights);
}

/// The mean of the inputs from `begin` to `end`, of which the first and the last may be covered in part.
InterpolationSpan mean_between(float begin, float end, std::int64_t input) {
  const auto first = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(begin)), 0, input - 1);
  const auto last = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(end)), first + 1, input);
  InterpolationSpan span{.begin = first, .weights = {}};
  for (std::int64_t place = first; place < last; ++place) {
    const auto left = static_cast<float>(place);
    span.weights.push_back((std::min(left + 1, end) - std::max(left, begin)) / (end - begin));
  }
  return span;
}

/// Some of the outputs, and the inputs that they need.
struct Block {
  std::int64_t first_input = 0;
  std::int64_t inputs = 0;
  std::vector<InterpolationSpan> outputs;

  /// [outputs, inputs]
  Tensor matrix() const {
    const auto columns = static_cast<std::size_t>(inputs);
    std::vector<float> values(outputs.size() * columns);
    for (std::size_t row = 0; row < outputs.size(); ++row) {
      const auto column = static_cast<std::size_t>(outputs[row].begin - first_input);
      std::copy(outputs[row].weights.begin(), outputs[row].weights.end(),
                values.begin() + static_cast<std::ptrdiff_t>(row * columns + column));
    }
    return Tensor::from_data(Shape{static_cast<std::int64_t>(outputs.size()), inputs}, values);
  }
};

/// The outputs from `position` on whose matrix is small; at least one.
Block block_from(std::int64_t position, std::int64_t input, std::int64_t output, Interpolation interpolation,
                 bool antialias) {
  Block block;
  std::int64_t end = 0;
  for (; position < output; ++position) {
    InterpolationSpan span = interpolation_span(interpolation, input, output, position, antialias);
    if (block.outputs.empty()) block.first_input = span.begin;
    // Neither the begin of the spans nor their end ever moves back.
    end = std::max(end, span.begin + static_cast<std::int64_t>(span.weights.size()));
    const std::int64_t inputs = end - block.first_input;
    const auto rows = static_cast<std::int64_t>(block.outputs.size()) + 1;
    if (rows > 1 && inputs > max_weights / rows) break;
    block.outputs.push_back(std::move(span));
    block.inputs = inputs;
  }
  return block;
}

}  // namespace

std::string_view name_of(Interpolation interpolation) {
  return std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == interpolation; })
      ->second;
}

Interpolation interpolation_from_name(std::string name) {
  const std::string given = name;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [interpolation, its_name] : names) {
    if (name == its_name) return interpolation;
  }
  std::string listed;
  for (const auto& [interpolation, its_name] : names) {
    listed += (listed.empty() ? "'" : ", '") + std::string(its_name) + "'";
  }
  throw ValueError("Invalid value for argument `interpolation`. Expected of one (" + listed +
                   "). Received: interpolation=" + given);
}

InterpolationSpan interpolation_span(Interpolation interpolation, std::int64_t input, std::int64_t output,
                                     std::int64_t position, bool antialias) {
  // In the precision of TensorFlow, whose weights these are.
  const float scale = static_cast<float>(input) / static_cast<float>(output);
  const float middle = static_cast<float>(position) + 0.5F;
  if (interpolation == Interpolation::nearest) {
    return {.begin = std::min(static_cast<std::int64_t>(std::floor(middle * scale)), input - 1), .weights = {1}};
  }
  if (interpolation == Interpolation::area) {
    const auto left = static_cast<float>(position);
    return mean_between(left * scale, (left + 1) * scale, input);
  }
  const bool is_lanczos = interpolation == Interpolation::lanczos3 || interpolation == Interpolation::lanczos5;
  if (is_lanczos || antialias) {
    const float inverse = 1 / (static_cast<float>(output) / static_cast<float>(input));
    return filtered(filter_of(interpolation), antialias ? std::max(inverse, 1.0F) : 1.0F, input, middle * inverse);
  }
  const float place = middle * scale - 0.5F;
  const auto before = static_cast<std::int64_t>(std::floor(place));
  const float distance = place - std::floor(place);
  if (interpolation == Interpolation::bilinear) {
    const std::int64_t lower = std::clamp<std::int64_t>(before, 0, input - 1);
    const std::int64_t upper = std::clamp<std::int64_t>(before + 1, 0, input - 1);
    if (lower == upper) return {.begin = lower, .weights = {1}};
    return {.begin = lower, .weights = {1 - distance, distance}};
  }
  // TensorFlow reads the cubic from a table.
  constexpr float steps = 1024;
  const float tabulated = std::nearbyint(distance * steps) / steps;
  return normalized(before - 1, input,
                    {cubic(1 + tabulated), cubic(tabulated), cubic(1 - tabulated), cubic(2 - tabulated)});
}

Tensor interpolate_axis(const Tensor& x, int axis, std::int64_t length, Interpolation interpolation, bool antialias) {
  const Shape& shape = x.shape();
  const std::int64_t input = shape[axis];
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
  if (input <= 0 || length <= 0 || input > longest || length > longest) {
    throw ValueError("A length of " + std::to_string(input) + " cannot be resized to " + std::to_string(length) + ".");
  }
  if (interpolation == Interpolation::nearest) {
    std::vector<std::int64_t> places;
    for (std::int64_t position = 0; position < length; ++position) {
      places.push_back(interpolation_span(interpolation, input, length, position).begin);
    }
    return gather(x, Tensor::from_data(Shape{length}, places), axis);
  }
  // The batch stays an axis of its own.
  const Shape front = {shape[0], shape.slice(1, axis).size()};
  const Shape rest({shape.slice(axis + 1, shape.rank()).size()});
  const Tensor whole = reshape(x, front.concatenate({input}).concatenate(rest));
  std::vector<Tensor> parts;
  for (std::int64_t position = 0; position < length;) {
    const Block block = block_from(position, input, length, interpolation, antialias);
    parts.push_back(matmul(block.matrix(), slice_axis(whole, 2, block.first_input, block.first_input + block.inputs)));
    position += static_cast<std::int64_t>(block.outputs.size());
  }
  const Tensor resized = parts.size() == 1 ? parts.front() : concatenate(parts, 2);
  return reshape(resized, shape.with(axis, length));
}

Tensor saturated(const Tensor& x, DType dtype) {
  if (is_floating(dtype)) return cast(x, dtype);
  const Tensor rounded = round(x);
  switch (dtype) {
    case DType::uint8:
      return cast(clip_by_value(rounded, 0, 255), dtype);
    case DType::int8:
      return cast(clip_by_value(rounded, -128, 127), dtype);
    case DType::int16:
      return cast(clip_by_value(rounded, -32768, 32767), dtype);
    case DType::uint16:
      return cast(clip_by_value(rounded, 0, 65535), dtype);
    // The largest numbers of float32 within the range.
    case DType::int32:
      return cast(clip_by_value(rounded, -2147483648.0, 2147483520.0), dtype);
    case DType::uint32:
      return cast(clip_by_value(rounded, 0.0, 4294967040.0), dtype);
    case DType::int64:
      return cast(clip_by_value(rounded, -9223372036854775808.0, 9223371487098961920.0), dtype);
    default:
      return cast(rounded, dtype);
  }
}

}  // namespace image
}  // namespace ops
}  // namespace rhyton
