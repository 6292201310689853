// The functions of keras.ops.image on symbolic tensors.

#include <rhyton/layers/operations/image.h>

#include <cmath>
#include <optional>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/image_arguments.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

using Specs = std::vector<TensorSpec>;
using Values = std::vector<Argument>;
using DataFormat = std::optional<std::string>;

bool is_channels_first(const Argument& data_format) {
  return image::has_channels_first(ArgumentValue<DataFormat>::from(data_format).value_or(""));
}

// The specs of what does not change shapes are those of the computation: an empty list.

Specs same_size_specs(const Values& values) {
  const Shape shape = spec_of(values.at(0)).shape;
  require_image_rank(shape, "Received input with shape: images.shape=" + shape.to_string());
  return {};
}

// --- Colours

Specs grayscale_specs(const Values& values) {
  const TensorSpec images = spec_of(values.at(0));
  require_image_rank(images.shape, "Received: images.shape=" + list_text(images.shape));
  const int axis = is_channels_first(values.at(1)) ? -3 : -1;
  const std::int64_t channels = images.shape[axis];
  if (channels >= 0 && channels != 1 && channels != 3) {
    throw ValueError(
        "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). Received input with shape: images.shape=" +
        images.shape.to_string());
  }
  return {{images.shape.with(images.shape.rank() + axis, 1), images.dtype}};
}

Specs colour_specs(const Values& values) {
  const TensorSpec images = spec_of(values.at(0));
  require_image_rank(images.shape, "Received: images.shape=" + list_text(images.shape));
  if (!is_floating(images.dtype)) {
    throw ValueError("Invalid images dtype: expected float dtype. Received: images.dtype=" +
                     std::string(name_of(images.dtype)));
  }
  const std::int64_t channels = images.shape[is_channels_first(values.at(1)) ? -3 : -1];
  if (channels >= 0 && channels != 3) {
    throw ValueError("Input images must have 3 channels, but received images with " + std::to_string(channels) +
                     " channels.");
  }
  return {images};
}

template <Tensor (*function)(const Tensor&, const std::string&)>
Operation of_format(const char* class_name, Specs (*infer)(const Values&)) {
  return {.class_name = class_name,
          .module = "ops.image",
          .parameters = {"images"},
          .options = {{"data_format", {}}},
          .compute = computes([](const Tensor& images, const DataFormat& data_format) {
            return function(images, data_format.value_or(""));
          }),
          .infer = infer};
}

// --- Sizes

std::array<std::int64_t, 2> checked_size(const std::vector<std::int64_t>& size) {
  if (size.size() != 2) {
    throw ValueError("Expected `size` to be a tuple of 2 integers. Received: size=" + Shape(size).to_string());
  }
  return {size[0], size[1]};
}

Tensor resized(const Tensor& images, const std::vector<std::int64_t>& size, const std::string& interpolation,
               bool antialias, bool crop_to_aspect_ratio, bool pad_to_aspect_ratio, const std::string& fill_mode,
               double fill_value, const DataFormat& data_format) {
  return image::resize(images, checked_size(size),
                       {.interpolation = interpolation,
                        .antialias = antialias,
                        .crop_to_aspect_ratio = crop_to_aspect_ratio,
                        .pad_to_aspect_ratio = pad_to_aspect_ratio,
                        .fill_mode = fill_mode,
                        .fill_value = fill_value,
                        .data_format = data_format.value_or("")});
}

Tensor scaled_and_translated(const Tensor& images, const std::vector<std::int64_t>& output_shape, const Tensor& scale,
                             const Tensor& translation, const std::vector<int>& spatial_dims, const std::string& method,
                             bool antialias) {
  return image::scale_and_translate(images, Shape(output_shape), scale, translation, spatial_dims, method, antialias);
}

/// Keras takes the shape from the arguments, as if other axes had its lengths, too. The specs are those of the
/// computation where they do not differ.
Specs scaled_specs(const Values& values) {
  const TensorSpec images = spec_of(values.at(0));
  const auto output_shape = ArgumentValue<std::vector<std::int64_t>>::from(values.at(1));
  if (static_cast<int>(output_shape.size()) != images.shape.rank()) {
    throw ValueError("`output_shape` must have one length for each axis of the images. Received: images.shape=" +
                     images.shape.to_string() + ", output_shape=" + Shape(output_shape).to_string());
  }
  return {};
}

// --- Transforms

Tensor affinely_transformed(const Tensor& images, const Tensor& transform, const std::string& interpolation,
                            const std::string& fill_mode, double fill_value, const DataFormat& data_format) {
  return image::affine_transform(images, transform,
                                 {.interpolation = interpolation,
                                  .fill_mode = fill_mode,
                                  .fill_value = fill_value,
                                  .data_format = data_format.value_or("")});
}

Tensor seen_in_perspective(const Tensor& images, const Tensor& start_points, const Tensor& end_points,
                           const std::string& interpolation, double fill_value, const DataFormat& data_format) {
  return image::perspective_transform(
      images, start_points, end_points,
      {.interpolation = interpolation, .fill_value = fill_value, .data_format = data_format.value_or("")});
}

Tensor mapped_to_coordinates(const Tensor& inputs, const Tensor& coordinates, int order, const std::string& fill_mode,
                             double fill_value) {
  return image::map_coordinates(inputs, coordinates, order, fill_mode, fill_value);
}

Tensor elastically_transformed(const Tensor& images, double alpha, double sigma, const std::string& interpolation,
                               const std::string& fill_mode, double fill_value,
                               const std::optional<std::uint64_t>& seed, const DataFormat& data_format) {
  return image::elastic_transform(images, {.alpha = alpha,
                                           .sigma = sigma,
                                           .interpolation = interpolation,
                                           .fill_mode = fill_mode,
                                           .fill_value = fill_value,
                                           .seed = seed,
                                           .data_format = data_format.value_or("")});
}

Specs affine_specs(const Values& values) {
  const TensorSpec images = spec_of(values.at(0));
  const Shape transform = spec_of(values.at(1)).shape;
  require_image_rank(images.shape, "Received input with shape: images.shape=" + images.shape.to_string());
  if (transform.rank() != 1 && transform.rank() != 2) {
    throw ValueError(
        "Invalid transform rank: expected rank 1 (single transform) or rank 2 (batch of transforms). Received input "
        "with shape: transform.shape=" +
        transform.to_string());
  }
  return {};
}

Specs mapped_specs(const Values& values) {
  const TensorSpec inputs = spec_of(values.at(0));
  const Shape coordinates = spec_of(values.at(1)).shape;
  const std::int64_t axes = coordinates.rank() == 0 ? 0 : coordinates[0];
  if (axes != inputs.shape.rank()) {
    throw ValueError(
        "First dim of `coordinates` must be the same as the rank of `inputs`. Received inputs with shape: " +
        inputs.shape.to_string() + " and coordinate leading dim of " + length_to_string(axes));
  }
  return {};
}

/// Other than the computation, this draws nothing.
Specs elastic_specs(const Values& values) {
  const TensorSpec images = spec_of(values.at(0));
  require_image_rank(images.shape, "Received input with shape: images.shape=" + images.shape.to_string());
  // An empty batch has the errors of others. Of unknown lengths there is a pixel at least.
  Shape empty = images.shape.rank() == 3 ? Shape{0}.concatenate(images.shape) : images.shape.with(0, 0);
  for (std::int64_t axis = 1; axis < empty.rank(); ++axis) {
    if (empty[static_cast<int>(axis)] < 0) empty[static_cast<int>(axis)] = 1;
  }
  static_cast<void>(elastically_transformed(
      Tensor::full(empty, 0.0, images.dtype), ArgumentValue<double>::from(values.at(1)),
      ArgumentValue<double>::from(values.at(2)), ArgumentValue<std::string>::from(values.at(3)),
      ArgumentValue<std::string>::from(values.at(4)), ArgumentValue<double>::from(values.at(5)),
      ArgumentValue<std::optional<std::uint64_t>>::from(values.at(6)), ArgumentValue<DataFormat>::from(values.at(7))));
  return {images};
}

// --- Filters

template <class T>
std::array<T, 2> checked_pair(const std::vector<T>& given, const char* name) {
  if (given.size() != 2) {
    throw ValueError("`" + std::string(name) + "` must be a tuple of 2 numbers. Received " +
                     std::to_string(given.size()) + " of them.");
  }
  return {given[0], given[1]};
}

Tensor blurred(const Tensor& images, const std::vector<std::int64_t>& kernel_size, const std::vector<double>& sigma,
               const DataFormat& data_format) {
  return image::gaussian_blur(images, {.kernel_size = checked_pair(kernel_size, "kernel_size"),
                                       .sigma = checked_pair(sigma, "sigma"),
                                       .data_format = data_format.value_or("")});
}

Specs edges_specs(const Values& values) {
  const TensorSpec images = spec_of(values.at(0));
  if (images.shape.rank() != 4) {
    throw ValueError("Invalid images rank: expected rank 4 (batch of images). Received: images.shape=" +
                     list_text(images.shape));
  }
  return {};
}

Tensor similarity(const Tensor& image1, const Tensor& image2, double max_val, std::int64_t filter_size,
                  double filter_sigma, double k1, double k2, const DataFormat& data_format) {
  return image::ssim(image1, image2,
                     {.max_val = max_val,
                      .filter_size = filter_size,
                      .filter_sigma = filter_sigma,
                      .k1 = k1,
                      .k2 = k2,
                      .data_format = data_format.value_or("")});
}

Specs similarity_specs(const Values& values) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Shape shape = spec_of(values.at(i)).shape;
    const std::string name = "image" + std::to_string(i + 1);
    if (shape.rank() == 3 || shape.rank() == 4) continue;
    throw ValueError("Invalid " + name +
                     " rank: expected rank 3 (single image) or rank 4 (batch of images). Received input with shape: " +
                     name + ".shape=" + shape.to_string());
  }
  return {};
}

// --- Arguments

/// An integer where Keras's default is one.
Argument whole_number(double value) {
  constexpr double maximum = 1e15;
  if (std::abs(value) <= maximum && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}

Argument seed_argument(const std::optional<std::uint64_t>& seed) { return seed ? Argument(*seed) : Argument(); }

}  // namespace

std::vector<Operation> image_operations() {
  return {
      of_format<image::rgb_to_grayscale>("RGBToGrayscale", grayscale_specs),
      of_format<image::rgb_to_hsv>("RGBToHSV", colour_specs),
      of_format<image::hsv_to_rgb>("HSVToRGB", colour_specs),
      {.class_name = "Resize",
       .module = "ops.image",
       .parameters = {"images"},
       .options = {{"size", {}},
                   {"interpolation", "bilinear"},
                   {"antialias", false},
                   {"crop_to_aspect_ratio", false},
                   {"pad_to_aspect_ratio", false},
                   {"fill_mode", "constant"},
                   {"fill_value", 0.0},
                   {"data_format", {}}},
       .compute = computes(resized),
       .infer = same_size_specs},
      {.class_name = "AffineTransform",
       .module = "ops.image",
       .parameters = {"images", "transform"},
       .options = {{"interpolation", "bilinear"}, {"fill_mode", "constant"}, {"fill_value", 0}, {"data_format", {}}},
       .compute = computes(affinely_transformed),
       .infer = affine_specs},
      {.class_name = "MapCoordinates",
       .module = "ops.image",
       .parameters = {"inputs", "coordinates"},
       .options = {{"order", {}}, {"fill_mode", "constant"}, {"fill_value", 0}},
       .compute = computes(mapped_to_coordinates),
       .infer = mapped_specs},
      {.class_name = "PerspectiveTransform",
       .module = "ops.image",
       .parameters = {"images", "start_points", "end_points"},
       .options = {{"interpolation", "bilinear"}, {"fill_value", 0}, {"data_format", {}}},
       .compute = computes(seen_in_perspective),
       .infer = same_size_specs},
      {.class_name = "GaussianBlur",
       .module = "ops.image",
       .parameters = {"images"},
       .options = {{"kernel_size", {3, 3}}, {"sigma", {1.0, 1.0}}, {"data_format", {}}},
       .compute = computes(blurred),
       .infer = same_size_specs},
      {.class_name = "ElasticTransform",
       .module = "ops.image",
       .parameters = {"images"},
       .options = {{"alpha", 20.0},
                   {"sigma", 5.0},
                   {"interpolation", "bilinear"},
                   {"fill_mode", "reflect"},
                   {"fill_value", 0.0},
                   {"seed", {}},
                   {"data_format", {}}},
       .compute = computes(elastically_transformed),
       .infer = elastic_specs},
      {.class_name = "ScaleAndTranslate",
       .module = "ops.image",
       .parameters = {"images", "output_shape", "scale", "translation"},
       .options = {{"spatial_dims", {}}, {"method", {}}, {"antialias", true}},
       .compute = computes(scaled_and_translated),
       .infer = scaled_specs},
      of_format<image::sobel_edges>("SobelEdges", edges_specs),
      {.class_name = "SSIM",
       .module = "ops.image",
       .parameters = {"image1", "image2"},
       .options = {{"max_val", 1.0},
                   {"filter_size", 11},
                   {"filter_sigma", 1.5},
                   {"k1", 0.01},
                   {"k2", 0.03},
                   {"data_format", {}}},
       .compute = computes(similarity),
       .infer = similarity_specs},
  };
}

}  // namespace layers

inline namespace ops {
namespace image {

using layers::Argument;
using layers::argument_of;
using layers::format_or_none;
using layers::operation_output;
using layers::SymbolicTensor;
using layers::whole_number;

SymbolicTensor rgb_to_grayscale(const SymbolicTensor& images, const std::string& data_format) {
  return operation_output("RGBToGrayscale", {images}, {format_or_none(data_format)});
}
SymbolicTensor rgb_to_hsv(const SymbolicTensor& images, const std::string& data_format) {
  return operation_output("RGBToHSV", {images}, {format_or_none(data_format)});
}
SymbolicTensor hsv_to_rgb(const SymbolicTensor& images, const std::string& data_format) {
  return operation_output("HSVToRGB", {images}, {format_or_none(data_format)});
}

SymbolicTensor resize(const SymbolicTensor& images, const std::array<std::int64_t, 2>& size,
                      const ResizeOptions& options) {
  return operation_output("Resize", {images},
                          {{size[0], size[1]},
                           options.interpolation,
                           options.antialias,
                           options.crop_to_aspect_ratio,
                           options.pad_to_aspect_ratio,
                           options.fill_mode,
                           options.fill_value,
                           format_or_none(options.data_format)});
}
SymbolicTensor scale_and_translate(const SymbolicTensor& images, const Shape& output_shape, const Argument& scale,
                                   const Argument& translation, const std::vector<int>& spatial_dims,
                                   const std::string& method, bool antialias) {
  return operation_output("ScaleAndTranslate", {images, argument_of(output_shape), scale, translation},
                          {Argument(spatial_dims), method, antialias});
}

namespace {

SymbolicTensor affine(const Argument& images, const Argument& transform, const AffineTransformOptions& options) {
  return operation_output("AffineTransform", {images, transform},
                          {options.interpolation, options.fill_mode, whole_number(options.fill_value),
                           format_or_none(options.data_format)});
}
SymbolicTensor mapped(const Argument& inputs, const Argument& coordinates, int order, const std::string& fill_mode,
                      double fill_value) {
  return operation_output("MapCoordinates", {inputs, coordinates}, {order, fill_mode, whole_number(fill_value)});
}
SymbolicTensor similar(const Argument& image1, const Argument& image2, const SsimOptions& options) {
  return operation_output("SSIM", {image1, image2},
                          {options.max_val, options.filter_size, options.filter_sigma, options.k1, options.k2,
                           format_or_none(options.data_format)});
}

}  // namespace

SymbolicTensor affine_transform(const SymbolicTensor& images, const Argument& transform,
                                const AffineTransformOptions& options) {
  return affine(images, transform, options);
}
SymbolicTensor affine_transform(const Tensor& images, const SymbolicTensor& transform,
                                const AffineTransformOptions& options) {
  return affine(images, transform, options);
}
SymbolicTensor perspective_transform(const SymbolicTensor& images, const Argument& start_points,
                                     const Argument& end_points, const PerspectiveTransformOptions& options) {
  return operation_output(
      "PerspectiveTransform", {images, start_points, end_points},
      {options.interpolation, whole_number(options.fill_value), format_or_none(options.data_format)});
}
SymbolicTensor map_coordinates(const SymbolicTensor& inputs, const Argument& coordinates, int order,
                               const std::string& fill_mode, double fill_value) {
  return mapped(inputs, coordinates, order, fill_mode, fill_value);
}
SymbolicTensor map_coordinates(const Tensor& inputs, const SymbolicTensor& coordinates, int order,
                               const std::string& fill_mode, double fill_value) {
  return mapped(inputs, coordinates, order, fill_mode, fill_value);
}
SymbolicTensor elastic_transform(const SymbolicTensor& images, const ElasticTransformOptions& options) {
  return operation_output("ElasticTransform", {images},
                          {options.alpha, options.sigma, options.interpolation, options.fill_mode, options.fill_value,
                           layers::seed_argument(options.seed), format_or_none(options.data_format)});
}

SymbolicTensor gaussian_blur(const SymbolicTensor& images, const GaussianBlurOptions& options) {
  return operation_output("GaussianBlur", {images},
                          {{options.kernel_size[0], options.kernel_size[1]},
                           {options.sigma[0], options.sigma[1]},
                           format_or_none(options.data_format)});
}
SymbolicTensor sobel_edges(const SymbolicTensor& images, const std::string& data_format) {
  return operation_output("SobelEdges", {images}, {format_or_none(data_format)});
}
SymbolicTensor ssim(const SymbolicTensor& image1, const Argument& image2, const SsimOptions& options) {
  return similar(image1, image2, options);
}
SymbolicTensor ssim(const Tensor& image1, const SymbolicTensor& image2, const SsimOptions& options) {
  return similar(image1, image2, options);
}

}  // namespace image
}  // namespace ops
}  // namespace rhyton
