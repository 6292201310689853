#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

// Functions of keras.ops.image that take the pixels of the result from other places of images. Images are
// [height, width, channels] or a batch of them, [batch, height, width, channels], with "channels_first"
// [channels, height, width]. Composed of other ops: differentiable any number of times with respect to the images.

namespace rhyton {
inline namespace ops {
namespace image {

/// Fields in the order of `keras.ops.image.affine_transform`.
struct AffineTransformOptions {
  ByName by_name = ByName();
  /// "bilinear" or "nearest".
  std::string interpolation = "bilinear";
  /// What images have beyond their border: "constant" is `fill_value`, "nearest" the outermost pixel, "reflect" the
  /// pixels mirrored with the outermost one, "wrap" those of the opposite side.
  std::string fill_mode = "constant";
  double fill_value = 0.0;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
};

/// Images moved, rotated, scaled and distorted by `transform` (`keras.ops.image.affine_transform`,
/// https://keras.io/api/ops/image/#affinetransform-function).
///
/// `transform` has eight numbers a0, a1, a2, b0, b1, b2, c0, c1, or [batch, 8]: the pixel (x, y) of the result is that
/// of the image at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1, and `fill_value` where k
/// is 0. It has no gradient, as with TensorFlow. All dtypes; computed in float32, fractions of integers are cut off.
/// Throws ValueError in Keras's words for another rank or option, InvalidArgumentError for a transform of another
/// length and images without pixels.
Tensor affine_transform(const Tensor& images, const Tensor& transform, const AffineTransformOptions& options = {});

/// Fields in the order of `keras.ops.image.perspective_transform`.
struct PerspectiveTransformOptions {
  ByName by_name = ByName();
  /// "bilinear" or "nearest".
  std::string interpolation = "bilinear";
  double fill_value = 0.0;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
};

/// Images in another perspective, which moves four points (x, y) to four others: [4, 2], or [batch, 4, 2]
/// (`keras.ops.image.perspective_transform`, https://keras.io/api/ops/image/#perspectivetransform-function). The points
/// have no gradient. Throws as `affine_transform`, ValueError in Keras's words for points of another shape, and
/// InvalidArgumentError where three of the end points are in a line.
Tensor perspective_transform(const Tensor& images, const Tensor& start_points, const Tensor& end_points,
                             const PerspectiveTransformOptions& options = {});

/// The numbers a0, a1, a2, b0, b1, b2, c0, c1 of the transforms, [batch, 8], that move the end points to the start points,
/// both [batch, 4, 2]: what `affine_transform` takes. In float64.
Tensor homography(const Tensor& start_points, const Tensor& end_points);

/// The values of `inputs` at coordinates: `coordinates` is [rank of inputs, …], the result has the shape of the rest
/// and the dtype of the inputs (`keras.ops.image.map_coordinates`,
/// https://keras.io/api/ops/image/#mapcoordinates-function).
///
/// `order` is 0 for the nearest value, or 1 for linear interpolation, also differentiable with respect to the
/// coordinates. `fill_mode` is that of `affine_transform`, or "mirror"; "reflect" and "mirror" are TensorFlow's, which
/// mirror coordinates below 0 without the outermost value, and "mirror" has no value at coordinates for which it would
/// be that of the length. Integers are rounded. Throws ValueError in Keras's words for ranks that do not fit and
/// another mode, NotImplementedError for another order, InvalidArgumentError for empty inputs and interpolation at
/// integers.
Tensor map_coordinates(const Tensor& inputs, const Tensor& coordinates, int order,
                       const std::string& fill_mode = "constant", double fill_value = 0.0);
Tensor map_coordinates(const Tensor& inputs, const Tensor& coordinates, double order,
                       const std::string& fill_mode = "constant", double fill_value = 0.0) = delete;

/// How `displaced` reads images.
struct DisplacementOptions {
  ByName by_name = ByName();
  /// "bilinear" or "nearest".
  std::string interpolation = "bilinear";
  /// "constant", "nearest", "reflect" or "wrap", as `map_coordinates`.
  std::string fill_mode = "reflect";
  double fill_value = 0.0;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
};

/// Images whose pixel (x, y) is that of the image at (x + d, y + d), with the distances d, [batch, height, width], or a
/// batch of 1, in float64 for images of that dtype, else in float32: the last step of `elastic_transform`. Throws
/// ValueError in Keras's words for another rank or option, InvalidArgumentError for images without pixels.
Tensor displaced(const Tensor& images, const Tensor& distances, const DisplacementOptions& options = {});

/// Fields in the order of `keras.ops.image.elastic_transform`.
struct ElasticTransformOptions {
  ByName by_name = ByName();
  /// The factor of the distances by which pixels move.
  double alpha = 20.0;
  /// The deviation of the Gaussian function that smooths these distances.
  double sigma = 5.0;
  /// "bilinear" or "nearest".
  std::string interpolation = "bilinear";
  /// "constant", "nearest", "reflect" or "wrap", as `map_coordinates`.
  std::string fill_mode = "reflect";
  double fill_value = 0.0;
  std::optional<std::uint64_t> seed = std::nullopt;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
};

/// Images whose pixels are moved by smooth random distances, as far along the height as along the width
/// (`keras.ops.image.elastic_transform`, https://keras.io/api/ops/image/#elastictransform-function). The distances are
/// drawn as those of `random::normal`: in a graph they are constants. Floating dtypes. Throws ValueError in Keras's
/// words for another rank or option, InvalidArgumentError for another dtype and images without pixels.
Tensor elastic_transform(const Tensor& images, const ElasticTransformOptions& options = {});

}  // namespace image
}  // namespace ops
}  // namespace rhyton
