#include <rhyton/framework/ops/image/resizing.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/image/interpolation_weights.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace image {
namespace {

using Size = std::array<std::int64_t, 2>;

void check(const Tensor& images, const Size& size, const ResizeOptions& options) {
  if (size[0] <= 0 || size[1] <= 0) {
    throw ValueError("`size` must have positive height and width. Received: size=(" + std::to_string(size[0]) + ", " +
                     std::to_string(size[1]) + ")");
  }
  require_images(images);
  if (options.pad_to_aspect_ratio && options.crop_to_aspect_ratio) {
    throw ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.");
  }
  if (options.fill_mode != "constant") {
    throw ValueError("Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: fill_mode=" +
                     options.fill_mode);
  }
  if (images.dtype() == DType::bool_) throw InvalidArgumentError("Images of bool cannot be resized.");
}

/// length * target / other_target, in the precision of TensorFlow.
std::int64_t proportional(std::int64_t length, std::int64_t target, std::int64_t other_target) {
  const float quotient = static_cast<float>(checked_multiply(length, target)) / static_cast<float>(other_target);
  return static_cast<std::int64_t>(quotient);
}

/// The middle of the axis.
Tensor cropped(const Tensor& x, int axis, std::int64_t length) {
  const std::int64_t input = x.shape()[axis];
  const std::int64_t cut = std::max<std::int64_t>(std::min(input, length), 1);
  const std::int64_t begin = (input - cut) / 2;
  return slice_axis(x, axis, begin, begin + cut);
}

Tensor padded(const Tensor& x, int axis, std::int64_t length, double value) {
  const std::int64_t border = (std::max(x.shape()[axis], length) - x.shape()[axis]) / 2;
  if (border == 0) return x;
  std::vector<std::pair<std::int64_t, std::int64_t>> paddings(static_cast<std::size_t>(x.rank()));
  paddings[static_cast<std::size_t>(axis)] = {border, border};
  return pad(x, paddings, is_floating(x.dtype()) ? value : std::trunc(value));
}

Tensor with_aspect_ratio(const Tensor& x, const Size& size, const ResizeOptions& options) {
  const std::int64_t height = proportional(x.shape()[2], size[0], size[1]);
  const std::int64_t width = proportional(x.shape()[1], size[1], size[0]);
  if (options.crop_to_aspect_ratio) return cropped(cropped(x, 1, height), 2, width);
  if (options.pad_to_aspect_ratio)
    return padded(padded(x, 1, height, options.fill_value), 2, width, options.fill_value);
  return x;
}

// --- Weights of scale_and_translate, of the absolute distance x

Tensor triangle_weights(const Tensor& x) { return maximum(1 - x, 0); }

Tensor cubic_weights(const Tensor& x) {
  const Tensor near = ((1.5 * x - 2.5) * x) * x + 1;
  const Tensor far = ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return where(x >= 2, 0, where(x >= 1, far, near));
}

Tensor lanczos_weights(const Tensor& x, double radius) {
  constexpr double pi = std::numbers::pi;
  const Tensor wave = radius * sin(pi * x) * sin((pi / radius) * x);
  const Tensor quotient = wave / where(not_equal(x, 0), (pi * pi) * square(x), 1);
  return where(x > radius, 0, where(x > 1e-3, quotient, 1));
}

using Weights = Tensor (*)(const Tensor&);

Weights weights_of(const std::string& method) {
  if (method == "linear" || method == "bilinear" || method == "trilinear") return &triangle_weights;
  if (method == "cubic" || method == "bicubic" || method == "tricubic") return &cubic_weights;
  if (method == "lanczos3") return [](const Tensor& x) { return lanczos_weights(x, 3); };
  if (method == "lanczos5") return [](const Tensor& x) { return lanczos_weights(x, 5); };
  throw ValueError(
      "Invalid value for argument `method`. Expected of one {'linear', 'bilinear', 'trilinear', 'cubic', 'bicubic', "
      "'tricubic', 'lanczos3', 'lanczos5'}. Received: method=" +
      method);
}

/// [input, output]; `scale` and `translation` are numbers.
Tensor weight_matrix(std::int64_t input, std::int64_t output, const Tensor& scale, const Tensor& translation,
                     Weights weights_at, bool antialias) {
  const DType dtype = scale.dtype();
  const Tensor inverse = 1 / scale;
  const Tensor places = (range(output, dtype) + 0.5) * inverse - translation * inverse - 0.5;
  Tensor distances = abs(reshape(places, {1, output}) - reshape(range(input, dtype), {input, 1}));
  if (antialias) distances = distances / maximum(inverse, 1);
  const Tensor weights = weights_at(distances);
  const Tensor total = sum(weights, {0}, true);
  // Below that the sum is rounding.
  constexpr double least = 1000 * 1.1920928955078125e-07;
  const Tensor normalized = where(abs(total) > least, weights / where(not_equal(total, 0), total, 1), 0);
  const Tensor is_inside = logical_and(places >= -0.5, places <= static_cast<double>(input) - 0.5);
  return where(reshape(is_inside, {1, output}), normalized, 0);
}

}  // namespace

Tensor resize(const Tensor& images, const Size& size, const ResizeOptions& options) {
  check(images, size, options);
  const bool channels_first = has_channels_first(options.data_format);
  const Interpolation interpolation = interpolation_from_name(options.interpolation);
  const Shape& shape = images.shape();
  const int last = channels_first ? -1 : -2;
  if (shape[last - 1] == 0 || shape[last] == 0) throw InvalidArgumentError("input image must be of non-zero size");
  if (shape[channels_first ? -3 : -1] == 0) throw InvalidArgumentError("image must have at least one channel");
  const ImageBatch batch(images, options.data_format);
  Tensor x = with_aspect_ratio(batch.images(), size, options);
  if (interpolation != Interpolation::nearest) x = cast(x, DType::float32);
  // An axis that keeps its length keeps its values.
  for (const int axis : {2, 1}) {
    const std::int64_t length = size[static_cast<std::size_t>(axis) - 1];
    if (length != x.shape()[axis]) x = interpolate_axis(x, axis, length, interpolation, options.antialias);
  }
  if (interpolation != Interpolation::nearest) x = saturated(x, images.dtype());
  return batch.restored(x);
}

Tensor scale_and_translate(const Tensor& images, const Shape& output_shape, const Tensor& scale,
                           const Tensor& translation, const std::vector<int>& spatial_dims, const std::string& method,
                           bool antialias) {
  const Weights weights_at = weights_of(method);
  const auto count = static_cast<std::int64_t>(spatial_dims.size());
  if (scale.rank() != 1 || translation.rank() != 1 || scale.size() < count || translation.size() < count) {
    throw ValueError(
        "`scale` and `translation` must have an element for each of `spatial_dims`. Received: scale.shape=" +
        scale.shape().to_string() + ", translation.shape=" + translation.shape().to_string() + ", " +
        attribute("spatial_dims", spatial_dims));
  }
  if (output_shape.rank() != images.rank() || !output_shape.is_fully_known()) {
    throw ValueError("`output_shape` must have a length for each axis of the images. Received: output_shape=" +
                     output_shape.to_string() + ", images.shape=" + images.shape().to_string());
  }
  if (spatial_dims.empty()) return identity(images);
  const DType dtype = result_type(to_floating(scale).dtype(), to_floating(translation).dtype());
  const bool is_rounded = !is_floating(images.dtype());
  Tensor x = is_rounded ? cast(images, DType::float32) : images;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const int axis = normalize_axis(spatial_dims[i], images.rank());
    const auto element = [&](const Tensor& of) {
      const auto place = static_cast<std::int64_t>(i);
      return reshape(slice_axis(cast(of, dtype), 0, place, place + 1), {});
    };
    const Tensor matrix =
        weight_matrix(x.shape()[axis], output_shape[axis], element(scale), element(translation), weights_at, antialias);
    x = moveaxis(matmul(moveaxis(x, axis, -1), cast(matrix, x.dtype())), -1, axis);
  }
  if (!is_rounded) return x;
  const auto limit = [&](const Tensor& value) { return cast(value, DType::float32); };
  return cast(minimum(maximum(round(x), limit(reduce_min(images))), limit(reduce_max(images))), images.dtype());
}

}  // namespace image
}  // namespace ops
}  // namespace rhyton
