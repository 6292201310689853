#include <rhyton/framework/ops/image/geometric_transforms.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/image/filters.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/image/projective_transform.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/seeded_random.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace image {
namespace {

/// That of transforms, which have no "mirror".
FillMode transform_fill_mode(const std::string& name) {
  const std::optional<FillMode> mode = find_fill_mode(name);
  if (mode && *mode != FillMode::mirror) return *mode;
  throw ValueError(
      "Invalid value for argument `fill_mode`. Expected of one ('constant', 'nearest', 'wrap', 'reflect'). Received: "
      "fill_mode=" +
      name);
}

bool is_bilinear(const std::string& interpolation) {
  if (interpolation == "nearest" || interpolation == "bilinear") return interpolation == "bilinear";
  throw ValueError(
      "Invalid value for argument `interpolation`. Expected of one ('nearest', 'bilinear'). Received: interpolation=" +
      interpolation);
}

void require_pixels(const Tensor& images) {
  if (images.shape()[1] > 0 && images.shape()[2] > 0) return;
  throw InvalidArgumentError("output dimensions must be positive");
}

/// The number as an element of `dtype`; of integers its integer part, which wraps around.
Tensor fill_element(double value, DType dtype) {
  if (is_floating(dtype)) return Tensor::full({}, value, dtype);
  return cast(Tensor::full({}, integer_fill(value), DType::int64), dtype);
}

// --- Transforms, as TensorFlow's ImageProjectiveTransformV3

/// images [batch, height, width, channels], transforms [batch or 1, 8].
Tensor transformed(const Tensor& images, const Tensor& transforms, bool bilinear, FillMode mode, double fill_value) {
  const Shape& shape = images.shape();
  const std::int64_t count = transforms.rank() == 2 ? transforms.shape()[0] : 0;
  if (transforms.rank() != 2 || transforms.shape()[1] != 8 || (count != 1 && count != shape[0])) {
    throw InvalidArgumentError("Input transform should be num_images x 8 or 1 x 8");
  }
  require_pixels(images);
  if (images.size() == 0) return images;
  const Tensor numbers = stop_gradient(cast(transforms, DType::float32));
  if (images.dtype() != DType::bool_) {
    return call<ProjectiveTransformOp>({images, numbers}, bilinear, mode, fill_value);
  }
  const double fill = std::abs(fill_value) >= 1 ? 1.0 : 0.0;
  return cast(call<ProjectiveTransformOp>({cast(images, DType::float32), numbers}, bilinear, mode, fill), DType::bool_);
}

/// The x of a x = b, for a [batch, 8, 8] and b [batch, 8, 1], as [batch, 8].
Tensor solved(const Tensor& a, const Tensor& b) {
  const std::int64_t count = b.shape()[1];
  const auto [q, r] = qr(a);
  const Tensor right = matmul(q, b, true);
  const auto element = [&r = r](std::int64_t row, std::int64_t column) {
    return slice_axis(slice_axis(r, 1, row, row + 1), 2, column, column + 1);
  };
  std::vector<Tensor> x(static_cast<std::size_t>(count));
  for (std::int64_t row = count - 1; row >= 0; --row) {
    Tensor rest = slice_axis(right, 1, row, row + 1);
    for (std::int64_t column = row + 1; column < count; ++column) {
      rest = rest - element(row, column) * x[static_cast<std::size_t>(column)];
    }
    x[static_cast<std::size_t>(row)] = rest / element(row, row);
  }
  Tensor solution = squeeze(concatenate(x, 1), {2});
  if (solution.is_concrete()) {
    const std::vector<double> numbers = solution.to_vector();
    const bool is_finite =
        std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
    if (!is_finite) throw InvalidArgumentError("Input matrix is not invertible.");
  }
  return solution;
}

/// [4, 2] as [1, 4, 2].
Tensor checked_points(const Tensor& points, const std::string& name) {
  const bool fits = (points.rank() == 2 || points.rank() == 3) && points.shape()[-2] == 4 && points.shape()[-1] == 2;
  if (!fits) {
    throw ValueError("Invalid " + name +
                     " shape: expected (4,2) for a single image or (N,4,2) for a batch. Received shape: " +
                     points.shape().to_string());
  }
  return points.rank() == 2 ? expand_dims(points, 0) : points;
}

// --- Coordinates, as Keras composes them

/// One of the values between which a coordinate lies, on one axis.
struct Neighbour {
  /// int64
  Tensor place;
  /// Whether there is a value, for `FillMode::constant` only.
  Tensor is_inside;
  /// The part of the value in the result; empty for 1.
  Tensor weight;
};

/// Whole numbers as int64, those that are none or far outside limited.
Tensor as_places(const Tensor& x) {
  if (!is_floating(x.dtype())) return cast(x, DType::int64);
  constexpr double maximum = 1e9;
  const Tensor numbers = x.dtype() == DType::float64 ? x : cast(x, DType::float32);
  return cast(clip_by_value(where(isnan(numbers), 0, numbers), -maximum, maximum), DType::int64);
}

Neighbour neighbour(const Tensor& place, const Tensor& weight, std::int64_t length, FillMode mode) {
  const Tensor size = Tensor::scalar(length);
  switch (mode) {
    case FillMode::constant:
      return {clip_by_value(place, 0, length - 1), logical_and(place >= 0, place < length), weight};
    case FillMode::nearest:
      return {clip_by_value(place, 0, length - 1), {}, weight};
    case FillMode::wrap:
      return {mod(place, size), {}, weight};
    case FillMode::mirror:
    case FillMode::reflect:
      break;
  }
  const Tensor rest = mod(abs(place), Tensor::scalar(2 * length));
  const std::int64_t mirrored = mode == FillMode::reflect ? 2 * length - 1 : 2 * length;
  return {where(rest < length, rest, mirrored - rest), {}, weight};
}

std::vector<Neighbour> neighbours(const Tensor& coordinate, std::int64_t length, int order, FillMode mode) {
  if (order == 0) return {neighbour(as_places(round(coordinate)), {}, length, mode)};
  const Tensor lower = floor(coordinate);
  const Tensor place = as_places(lower);
  const Tensor weight = coordinate - lower;
  return {neighbour(place, 1 - weight, length, mode), neighbour(place + 1, weight, length, mode)};
}

/// `rows` [lengths multiplied, values] at coordinates, one tensor for each of the lengths. `first`: the row at which
/// the coordinates of an element begin, if not 0. The result has the shape of a coordinate and an axis of values, and
/// the dtype of the coordinates.
Tensor interpolated(const Tensor& rows, const std::vector<std::int64_t>& lengths,
                    const std::vector<Tensor>& coordinates, const Tensor& first, int order, FillMode mode,
                    const Tensor& fill) {
  const DType dtype = coordinates.front().dtype();
  std::vector<std::vector<Neighbour>> axes;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    axes.push_back(neighbours(coordinates[i], lengths[i], order, mode));
  }
  Tensor total;
  // Bit i selects the neighbour on axis i.
  const std::size_t corners = order == 0 ? 1 : std::size_t{1} << lengths.size();
  for (std::size_t corner = 0; corner < corners; ++corner) {
    Tensor place = first;
    Tensor is_inside;
    Tensor is_beyond;
    Tensor weight;
    const auto join = [](Tensor& joined, const Tensor& with, auto&& function) {
      if (!with.is_empty()) joined = joined.is_empty() ? with : function(joined, with);
    };
    std::int64_t stride = 1;
    for (std::size_t i = lengths.size(); i-- > 0;) {
      const Neighbour& chosen = axes[i][corner >> i & 1];
      join(place, chosen.place * stride, [](const Tensor& a, const Tensor& b) { return a + b; });
      join(weight, chosen.weight, [](const Tensor& a, const Tensor& b) { return a * b; });
      join(is_inside, chosen.is_inside, [](const Tensor& a, const Tensor& b) { return logical_and(a, b); });
      if (mode == FillMode::mirror) {
        join(is_beyond, chosen.place >= lengths[i], [](const Tensor& a, const Tensor& b) { return logical_or(a, b); });
      }
      stride *= lengths[i];
    }
    // No row has this number: it is refused.
    if (!is_beyond.is_empty()) place = where(is_beyond, rows.shape()[0], place);
    Tensor values = cast(gather(rows, place, 0), dtype);
    if (!is_inside.is_empty()) values = where(expand_dims(is_inside, -1), values, cast(fill, dtype));
    if (!weight.is_empty()) values = expand_dims(weight, -1) * values;
    total = total.is_empty() ? values : total + values;
  }
  return total;
}

}  // namespace

Tensor homography(const Tensor& start_points, const Tensor& end_points) {
  const auto coordinate = [](const Tensor& points, std::int64_t i) {
    return slice_axis(cast(cast(points, DType::float32), DType::float64), 2, i, i + 1);
  };
  const Tensor x = coordinate(end_points, 0);
  const Tensor y = coordinate(end_points, 1);
  const Tensor from_x = coordinate(start_points, 0);
  const Tensor from_y = coordinate(start_points, 1);
  const Tensor one = ones_like(x);
  const Tensor zero = zeros_like(x);
  const Tensor rows_of_x = concatenate({x, y, one, zero, zero, zero, -(from_x * x), -(from_x * y)}, 2);
  const Tensor rows_of_y = concatenate({zero, zero, zero, x, y, one, -(from_y * x), -(from_y * y)}, 2);
  return solved(concatenate({rows_of_x, rows_of_y}, 1), concatenate({from_x, from_y}, 1));
}

Tensor affine_transform(const Tensor& images, const Tensor& transform, const AffineTransformOptions& options) {
  const bool bilinear = is_bilinear(options.interpolation);
  const FillMode mode = transform_fill_mode(options.fill_mode);
  require_images(images);
  if (transform.rank() != 1 && transform.rank() != 2) {
    throw ValueError(
        "Invalid transform rank: expected rank 1 (single transform) or rank 2 (batch of transforms). Received input "
        "with shape: transform.shape=" +
        transform.shape().to_string());
  }
  const ImageBatch batch(images, options.data_format);
  const Tensor transforms = transform.rank() == 1 ? expand_dims(transform, 0) : transform;
  return batch.restored(transformed(batch.images(), transforms, bilinear, mode, options.fill_value));
}

Tensor perspective_transform(const Tensor& images, const Tensor& start_points, const Tensor& end_points,
                             const PerspectiveTransformOptions& options) {
  const bool bilinear = is_bilinear(options.interpolation);
  require_images(images);
  const Tensor starts = checked_points(start_points, "start_points");
  const Tensor ends = checked_points(end_points, "end_points");
  if (start_points.shape() != end_points.shape()) {
    throw ValueError("start_points and end_points must have the same shape. Received start_points.shape=" +
                     start_points.shape().to_string() + ", end_points.shape=" + end_points.shape().to_string());
  }
  const ImageBatch batch(images, options.data_format);
  const Tensor transforms = homography(stop_gradient(starts), stop_gradient(ends));
  return batch.restored(transformed(batch.images(), transforms, bilinear, FillMode::constant, options.fill_value));
}

Tensor map_coordinates(const Tensor& inputs, const Tensor& coordinates, int order, const std::string& fill_mode,
                       double fill_value) {
  const std::int64_t axes = coordinates.rank() == 0 ? 0 : coordinates.shape()[0];
  if (axes != inputs.rank()) {
    throw ValueError(
        "First dim of `coordinates` must be the same as the rank of `inputs`. Received inputs with shape: " +
        inputs.shape().to_string() + " and coordinate leading dim of " + std::to_string(axes));
  }
  if (coordinates.rank() < 2) {
    throw ValueError("Invalid coordinates rank: expected at least rank 2. Received input with shape: " +
                     coordinates.shape().to_string());
  }
  const std::optional<FillMode> mode = find_fill_mode(fill_mode);
  if (!mode) {
    throw ValueError(
        "Invalid value for argument `fill_mode`. Expected one of {'constant', 'nearest', 'wrap', 'mirror', 'reflect'}. "
        "Received: fill_mode=" +
        fill_mode);
  }
  if (order != 0 && order != 1) throw NotImplementedError("map_coordinates currently requires order<=1");
  if (order == 1 && !is_floating(coordinates.dtype())) {
    throw InvalidArgumentError("Interpolation takes coordinates of a floating dtype. Received: coordinates.dtype=" +
                               std::string(name_of(coordinates.dtype())));
  }
  if (inputs.rank() == 0) throw ValueError("`inputs` must have at least rank 1.");
  if (inputs.size() == 0) {
    throw InvalidArgumentError("Requested more than 0 entries, but params is empty.  Params shape: " +
                               inputs.shape().to_string());
  }
  const std::vector<std::int64_t> lengths(inputs.shape().begin(), inputs.shape().end());
  const Tensor values = interpolated(reshape(inputs, {-1, 1}), lengths, unstack(coordinates, 0), {}, order, *mode,
                                     fill_element(fill_value, inputs.dtype()));
  const Tensor result = squeeze(values, {-1});
  return cast(is_floating(inputs.dtype()) ? result : round(result), inputs.dtype());
}

Tensor displaced(const Tensor& images, const Tensor& distances, const DisplacementOptions& options) {
  const bool bilinear = is_bilinear(options.interpolation);
  const FillMode mode = transform_fill_mode(options.fill_mode);
  require_images(images);
  const ImageBatch batch(images, options.data_format);
  require_pixels(batch.images());
  if (images.size() == 0) return identity(images);
  const Shape& shape = batch.images().shape();
  const DType dtype = images.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const Tensor x = reshape(range(shape[2], dtype), {1, 1, shape[2]}) + distances;
  const Tensor y = reshape(range(shape[1], dtype), {1, shape[1], 1}) + distances;
  const std::int64_t pixels = shape[1] * shape[2];
  const Tensor first = reshape(range(shape[0], DType::int64) * pixels, {shape[0], 1, 1});
  const Tensor result = interpolated(reshape(batch.images(), {shape[0] * pixels, shape[3]}), {shape[1], shape[2]},
                                     {y, x}, first, bilinear ? 1 : 0, mode, fill_element(options.fill_value, dtype));
  return batch.restored(cast(result, images.dtype()));
}

Tensor elastic_transform(const Tensor& images, const ElasticTransformOptions& options) {
  is_bilinear(options.interpolation);
  transform_fill_mode(options.fill_mode);
  require_images(images);
  if (!is_floating(images.dtype())) {
    throw InvalidArgumentError("elastic_transform takes images of a floating dtype. Received: images.dtype=" +
                               std::string(name_of(images.dtype())));
  }
  constexpr double maximum = 1e6;
  if (!(std::abs(options.sigma) <= maximum)) {
    throw ValueError("`sigma` is out of range. Received: sigma=" + std::to_string(options.sigma));
  }
  const ImageBatch batch(images, options.data_format);
  require_pixels(batch.images());
  const Shape& shape = batch.images().shape();
  if (images.size() == 0) return identity(images);
  const DType dtype = images.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const std::int64_t window = 6 * static_cast<std::int64_t>(options.sigma) | 1;
  const Tensor noise = random::normal({shape[0], shape[1], shape[2], 1}, {.dtype = dtype, .seed = options.seed});
  const Tensor smooth = gaussian_blur(
      noise * options.sigma,
      {.kernel_size = {window, window}, .sigma = {options.sigma, options.sigma}, .data_format = "channels_last"});
  // Keras draws both directions from one seed: they are equal.
  return displaced(images, options.alpha * squeeze(smooth, {3}),
                   {.interpolation = options.interpolation,
                    .fill_mode = options.fill_mode,
                    .fill_value = options.fill_value,
                    .data_format = options.data_format});
}

}  // namespace image
}  // namespace ops
}  // namespace rhyton
