// The functions of keras.ops.image on symbolic tensors.

#include <rhyton/layers/operations/image.h>

#include <cmath>
#include <optional>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/window_shapes.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

using Specs = std::vector<TensorSpec>;
using Values = std::vector<Argument>;
using Length = std::optional<std::int64_t>;
using DataFormat = std::optional<std::string>;

/// As Python prints a list: "[None, 4, 4, 2]".
std::string list_text(const Shape& shape) {
  std::string listed;
  for (const std::int64_t length : shape) listed += (listed.empty() ? "" : ", ") + length_to_string(length);
  return "[" + listed + "]";
}

bool is_channels_first(const Argument& data_format) {
  return image::has_channels_first(ArgumentValue<DataFormat>::from(data_format).value_or(""));
}

constexpr const char* rank_message =
    "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). ";

/// Throws ValueError in Keras's words unless the shape is that of an image or of a batch. `received` is the rest of the
/// message.
void require_image_rank(const Shape& shape, const std::string& received) {
  if (shape.rank() != 3 && shape.rank() != 4) throw ValueError(rank_message + received);
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

// --- Margins

/// The arguments of crop_images and pad_images.
struct MarginValues {
  explicit MarginValues(const Values& values)
      : top(length(values, 1)),
        left(length(values, 2)),
        bottom(length(values, 3)),
        right(length(values, 4)),
        height(length(values, 5)),
        width(length(values, 6)),
        data_format(ArgumentValue<DataFormat>::from(values.at(7)).value_or("")) {}

  static Length length(const Values& values, std::size_t i) { return ArgumentValue<Length>::from(values.at(i)); }

  image::CropImagesOptions of_crop() const {
    return {.top_cropping = top,
            .left_cropping = left,
            .bottom_cropping = bottom,
            .right_cropping = right,
            .target_height = height,
            .target_width = width,
            .data_format = data_format};
  }
  image::PadImagesOptions of_pad() const {
    return {.top_padding = top,
            .left_padding = left,
            .bottom_padding = bottom,
            .right_padding = right,
            .target_height = height,
            .target_width = width,
            .data_format = data_format};
  }

  Length top, left, bottom, right, height, width;
  std::string data_format;
};

/// The axis of the height of images; that of the width is the next one.
int height_axis(const Shape& images, const std::string& data_format) {
  return images.rank() - (image::has_channels_first(data_format) ? 2 : 3);
}

/// Keras's message for an unknown length, in which a space is missing.
void require_target(const Shape& images, std::int64_t length, const Length& target, const std::string& name) {
  if (length >= 0 || target) return;
  throw ValueError("When the " + name + " of the images is unknown, `target_" + name +
                   "` must be specified.Received images.shape=" + list_text(images) + " and target_" + name + "=None");
}

std::vector<Tensor> cropped(const Values& values) {
  return {image::crop_images(ArgumentValue<Tensor>::from(values.at(0)), MarginValues(values).of_crop())};
}

Specs crop_specs(const Values& values) {
  const TensorSpec images = spec_of(values.at(0));
  require_image_rank(images.shape, "Received: images.shape=" + list_text(images.shape));
  const MarginValues margins(values);
  const int axis = height_axis(images.shape, margins.data_format);
  const bool is_known = images.shape[axis] >= 0 && images.shape[axis + 1] >= 0;
  if (is_known) return {};
  // The checks that do not depend on the lengths.
  image::require_margins(margins.of_crop());
  require_target(images.shape, images.shape[axis], margins.height, "height");
  require_target(images.shape, images.shape[axis + 1], margins.width, "width");
  const auto cropped_length = [](std::int64_t length, const Length& target, const Length& before, const Length& after) {
    return target ? *target : checked_subtract(checked_subtract(length, *before), *after);
  };
  return {{images.shape.with(axis, cropped_length(images.shape[axis], margins.height, margins.top, margins.bottom))
               .with(axis + 1, cropped_length(images.shape[axis + 1], margins.width, margins.left, margins.right)),
           images.dtype}};
}

std::vector<Tensor> padded(const Values& values) {
  return {image::pad_images(ArgumentValue<Tensor>::from(values.at(0)), MarginValues(values).of_pad())};
}

Specs pad_specs(const Values& values) {
  const TensorSpec images = spec_of(values.at(0));
  require_image_rank(images.shape, "Received: images.shape=" + list_text(images.shape));
  const MarginValues margins(values);
  const int axis = height_axis(images.shape, margins.data_format);
  const bool is_known = images.shape[axis] >= 0 && images.shape[axis + 1] >= 0;
  if (is_known) return {};
  image::require_margins(margins.of_pad());
  const auto padded_length = [](std::int64_t length, const Length& target, const Length& before, const Length& after) {
    if (target) return *target;
    return length < 0 ? std::int64_t{-1} : checked_add(checked_add(length, *before), *after);
  };
  return {{images.shape.with(axis, padded_length(images.shape[axis], margins.height, margins.top, margins.bottom))
               .with(axis + 1, padded_length(images.shape[axis + 1], margins.width, margins.left, margins.right)),
           images.dtype}};
}

Keywords margin_options(const std::string& kind) {
  return {{"top_" + kind, {}},   {"left_" + kind, {}}, {"bottom_" + kind, {}}, {"right_" + kind, {}},
          {"target_height", {}}, {"target_width", {}}, {"data_format", {}}};
}

// --- Patches

image::ExtractPatchesOptions patches_options(const std::vector<std::int64_t>& strides,
                                             const std::vector<std::int64_t>& dilation_rate, const std::string& padding,
                                             const DataFormat& data_format) {
  return {
      .strides = strides, .dilation_rate = dilation_rate, .padding = padding, .data_format = data_format.value_or("")};
}

Tensor patches(const Tensor& images, const PerAxis& size, const std::vector<std::int64_t>& strides,
               const std::vector<std::int64_t>& dilation_rate, const std::string& padding,
               const DataFormat& data_format) {
  const image::ExtractPatchesOptions options = patches_options(strides, dilation_rate, padding, data_format);
  return size.numbers().size() == 1 ? image::extract_patches(images, size.numbers().front(), options)
                                    : image::extract_patches(images, size.numbers(), options);
}

Specs patches_specs(const Values& values) {
  const TensorSpec images = spec_of(values.at(0));
  const auto given = ArgumentValue<PerAxis>::from(values.at(1));
  const std::vector<std::int64_t> size = given.for_axes(given.numbers().size() == 3 ? 3 : 2, "size");
  const auto strides = ArgumentValue<PerAxis>::from(values.at(2));
  const std::string data_format = ArgumentValue<DataFormat>::from(values.at(5)).value_or("");
  const int rank = static_cast<int>(size.size()) + 2;
  const bool is_single = images.shape.rank() == rank - 1;
  if (!is_single && images.shape.rank() != rank) {
    throw ValueError("Kernel shape must have the same length as input, but received kernel of shape " +
                     Shape(size).to_string() + " and input of shape " + images.shape.to_string() + ".");
  }
  const Shape batch = is_single ? Shape{1}.concatenate(images.shape) : images.shape;
  std::int64_t filters = batch[image::has_channels_first(data_format) ? 1 : -1];
  const ConvOptions options = {.strides = strides.is_given() ? strides : PerAxis(size),
                               .padding = ArgumentValue<std::string>::from(values.at(4)),
                               .data_format = data_format,
                               .dilation_rate = ArgumentValue<PerAxis>::from(values.at(3))};
  const Shape kernel = Shape(size).concatenate({1, 1});
  // Throws for a size that is not positive.
  static_cast<void>(conv_output_shape(batch, kernel, 1, options));
  for (const std::int64_t length : size) filters = filters < 0 ? -1 : checked_multiply(filters, length);
  const Shape shape = conv_output_shape(batch, kernel, filters, options);
  return {{is_single ? shape.slice(1, shape.rank()) : shape, images.dtype}};
}

// --- Arguments

Argument format_or_none(const std::string& data_format) {
  return data_format.empty() ? Argument() : Argument(data_format);
}

/// An integer where Keras's default is one.
Argument whole_number(double value) {
  constexpr double most = 1e15;
  if (std::abs(value) <= most && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}

Argument seed_argument(const std::optional<std::uint64_t>& seed) { return seed ? Argument(*seed) : Argument(); }

SymbolicTensor extracted(const SymbolicTensor& images, const std::vector<std::int64_t>& size,
                         const image::ExtractPatchesOptions& options) {
  // Keras writes the strides and the format that hold.
  const std::vector<std::int64_t>& strides = options.strides.empty() ? size : options.strides;
  return operation_output("ExtractPatches", {images},
                          {Argument(size), strides.size() == 1 ? Argument(strides.front()) : Argument(strides),
                           argument_of(options.dilation_rate), options.padding,
                           image::has_channels_first(options.data_format) ? "channels_first" : "channels_last"});
}

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
      {.class_name = "ExtractPatches",
       .module = "ops.image",
       .parameters = {"images"},
       .options = {{"size", {}}, {"strides", {}}, {"dilation_rate", 1}, {"padding", "valid"}, {"data_format", {}}},
       .compute = computes(patches),
       .infer = patches_specs,
       .writes_name = false},
      {.class_name = "MapCoordinates",
       .module = "ops.image",
       .parameters = {"inputs", "coordinates"},
       .options = {{"order", {}}, {"fill_mode", "constant"}, {"fill_value", 0}},
       .compute = computes(mapped_to_coordinates),
       .infer = mapped_specs},
      {.class_name = "PadImages",
       .module = "ops.image",
       .parameters = {"images"},
       .options = margin_options("padding"),
       .compute = padded,
       .infer = pad_specs},
      {.class_name = "CropImages",
       .module = "ops.image",
       .parameters = {"images"},
       .options = margin_options("cropping"),
       .compute = cropped,
       .infer = crop_specs},
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
  return operation_output("ScaleAndTranslate", {images, layers::argument_of(output_shape), scale, translation},
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

SymbolicTensor crop_images(const SymbolicTensor& images, const CropImagesOptions& options) {
  return operation_output(
      "CropImages", {images},
      {argument_of(options.top_cropping), argument_of(options.left_cropping), argument_of(options.bottom_cropping),
       argument_of(options.right_cropping), argument_of(options.target_height), argument_of(options.target_width),
       format_or_none(options.data_format)});
}
SymbolicTensor pad_images(const SymbolicTensor& images, const PadImagesOptions& options) {
  return operation_output(
      "PadImages", {images},
      {argument_of(options.top_padding), argument_of(options.left_padding), argument_of(options.bottom_padding),
       argument_of(options.right_padding), argument_of(options.target_height), argument_of(options.target_width),
       format_or_none(options.data_format)});
}

SymbolicTensor extract_patches(const SymbolicTensor& images, const std::vector<std::int64_t>& size,
                               const ExtractPatchesOptions& options) {
  if (size.size() != 2 && size.size() != 3) {
    throw ValueError("Invalid `size` argument. Expected a tuple of length 2 or 3. Received: size=" +
                     Shape(size).to_string() + " with length " + std::to_string(size.size()));
  }
  return layers::extracted(images, size, options);
}
SymbolicTensor extract_patches(const SymbolicTensor& images, std::int64_t size, const ExtractPatchesOptions& options) {
  return layers::extracted(images, {size, size}, options);
}
SymbolicTensor extract_patches_3d(const SymbolicTensor& volumes, const std::vector<std::int64_t>& size,
                                  const ExtractPatchesOptions& options) {
  if (size.size() != 3) {
    throw TypeError("Invalid `size` argument. Expected an int or a tuple of length 3. Received: size=" +
                    Shape(size).to_string());
  }
  return layers::extracted(volumes, size, options);
}
SymbolicTensor extract_patches_3d(const SymbolicTensor& volumes, std::int64_t size,
                                  const ExtractPatchesOptions& options) {
  return layers::extracted(volumes, {size, size, size}, options);
}

}  // namespace image
}  // namespace ops
}  // namespace rhyton
