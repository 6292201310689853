// The functions of keras.ops.image that cut images, add a border or cut them into patches, on symbolic tensors.

#include <optional>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/window_shapes.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/image.h>
#include <rhyton/layers/operations/image_arguments.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

using Length = std::optional<std::int64_t>;

// --- Margins

/// The arguments of crop_images and pad_images.
struct MarginValues {
  explicit MarginValues(const std::vector<Argument>& values)
      : top(length(values, 1)),
        left(length(values, 2)),
        bottom(length(values, 3)),
        right(length(values, 4)),
        height(length(values, 5)),
        width(length(values, 6)),
        data_format(ArgumentValue<std::optional<std::string>>::from(values.at(7)).value_or("")) {}

  static Length length(const std::vector<Argument>& values, std::size_t i) {
    return ArgumentValue<Length>::from(values.at(i));
  }

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

/// The specs of images of unknown lengths with other margins; empty for known ones. `check(images, margins, axis)` has
/// the checks that do not depend on the lengths, `length_of(length, target, before, after)` is a length of the result.
template <class Check, class LengthOf>
std::vector<TensorSpec> specs_with_margins(const std::vector<Argument>& values, const Check& check,
                                           const LengthOf& length_of) {
  const TensorSpec images = spec_of(values.at(0));
  require_image_rank(images.shape, "Received: images.shape=" + list_text(images.shape));
  const MarginValues margins(values);
  const int axis = height_axis(images.shape, margins.data_format);
  const bool is_known = images.shape[axis] >= 0 && images.shape[axis + 1] >= 0;
  if (is_known) return {};
  check(images.shape, margins, axis);
  return {{images.shape.with(axis, length_of(images.shape[axis], margins.height, margins.top, margins.bottom))
               .with(axis + 1, length_of(images.shape[axis + 1], margins.width, margins.left, margins.right)),
           images.dtype}};
}

std::vector<Tensor> cropped(const std::vector<Argument>& values) {
  return {image::crop_images(ArgumentValue<Tensor>::from(values.at(0)), MarginValues(values).of_crop())};
}

std::vector<TensorSpec> crop_specs(const std::vector<Argument>& values) {
  return specs_with_margins(
      values,
      [](const Shape& images, const MarginValues& margins, int axis) {
        image::require_margins(margins.of_crop());
        require_target(images, images[axis], margins.height, "height");
        require_target(images, images[axis + 1], margins.width, "width");
      },
      [](std::int64_t length, const Length& target, const Length& before, const Length& after) {
        return target ? *target : checked_subtract(checked_subtract(length, *before), *after);
      });
}

std::vector<Tensor> with_margins(const std::vector<Argument>& values) {
  return {image::pad_images(ArgumentValue<Tensor>::from(values.at(0)), MarginValues(values).of_pad())};
}

std::vector<TensorSpec> pad_specs(const std::vector<Argument>& values) {
  return specs_with_margins(
      values, [](const Shape&, const MarginValues& margins, int) { image::require_margins(margins.of_pad()); },
      [](std::int64_t length, const Length& target, const Length& before, const Length& after) {
        if (target) return *target;
        return length < 0 ? std::int64_t{-1} : checked_add(checked_add(length, *before), *after);
      });
}

Keywords margin_options(const std::string& kind) {
  return {{"top_" + kind, {}},   {"left_" + kind, {}}, {"bottom_" + kind, {}}, {"right_" + kind, {}},
          {"target_height", {}}, {"target_width", {}}, {"data_format", {}}};
}

// --- Patches

image::ExtractPatchesOptions patches_options(const std::vector<std::int64_t>& strides,
                                             const std::vector<std::int64_t>& dilation_rate, const std::string& padding,
                                             const std::optional<std::string>& data_format) {
  return {
      .strides = strides, .dilation_rate = dilation_rate, .padding = padding, .data_format = data_format.value_or("")};
}

Tensor patches(const Tensor& images, const PerAxis& size, const std::vector<std::int64_t>& strides,
               const std::vector<std::int64_t>& dilation_rate, const std::string& padding,
               const std::optional<std::string>& data_format) {
  const image::ExtractPatchesOptions options = patches_options(strides, dilation_rate, padding, data_format);
  return size.numbers().size() == 1 ? image::extract_patches(images, size.numbers().front(), options)
                                    : image::extract_patches(images, size.numbers(), options);
}

std::vector<TensorSpec> patches_specs(const std::vector<Argument>& values) {
  const TensorSpec images = spec_of(values.at(0));
  const auto given = ArgumentValue<PerAxis>::from(values.at(1));
  const std::vector<std::int64_t> size = given.for_axes(given.numbers().size() == 3 ? 3 : 2, "size");
  const auto strides = ArgumentValue<PerAxis>::from(values.at(2));
  const std::string data_format = ArgumentValue<std::optional<std::string>>::from(values.at(5)).value_or("");
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
  // A size that is not positive is refused with the shape.
  for (const std::int64_t length : size) filters = filters < 0 || length < 1 ? -1 : checked_multiply(filters, length);
  const Shape shape = conv_output_shape(batch, kernel, filters, options);
  return {{is_single ? shape.slice(1, shape.rank()) : shape, images.dtype}};
}

// --- Rows

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

std::vector<Operation> image_cutting_operations() {
  return {
      {.class_name = "ExtractPatches",
       .module = "ops.image",
       .parameters = {"images"},
       .options = {{"size", {}}, {"strides", {}}, {"dilation_rate", 1}, {"padding", "valid"}, {"data_format", {}}},
       .compute = computes(patches),
       .infer = patches_specs,
       .writes_name = false},
      {.class_name = "PadImages",
       .module = "ops.image",
       .parameters = {"images"},
       .options = margin_options("padding"),
       .compute = with_margins,
       .infer = pad_specs},
      {.class_name = "CropImages",
       .module = "ops.image",
       .parameters = {"images"},
       .options = margin_options("cropping"),
       .compute = cropped,
       .infer = crop_specs},
  };
}

}  // namespace layers

inline namespace ops {
namespace image {

using layers::argument_of;
using layers::format_or_none;
using layers::operation_output;
using layers::SymbolicTensor;

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
