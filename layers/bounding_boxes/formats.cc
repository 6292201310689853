#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/bounding_boxes/columns.h>

namespace rhyton::utils::bounding_boxes {
namespace {

constexpr const char* relative_prefix = "rel_";

/// What a format is, without "rel_".
struct Format {
  const char* name;
  /// From and to left, top, right, bottom.
  Columns (*to_corners)(const Columns& box);
  Columns (*from_corners)(const Columns& box);
  /// Whether it has a twin whose name begins with "rel_".
  bool can_be_relative;
  /// Whether positions along the height come first.
  bool has_height_first = false;
};

Columns unchanged(const Columns& box) { return box; }

Columns swapped(const Columns& box) { return {box[1], box[0], box[3], box[2]}; }

Columns corners_of_sizes(const Columns& box) { return {box[0], box[1], box[0] + box[2], box[1] + box[3]}; }

Columns sizes_of_corners(const Columns& box) { return {box[0], box[1], box[2] - box[0], box[3] - box[1]}; }

Columns corners_of_centers(const Columns& box) {
  const Tensor half_width = box[2] / 2.0;
  const Tensor half_height = box[3] / 2.0;
  return {box[0] - half_width, box[1] - half_height, box[0] + half_width, box[1] + half_height};
}

Columns centers_of_corners(const Columns& box) {
  const Tensor width = box[2] - box[0];
  const Tensor height = box[3] - box[1];
  return {box[0] + width / 2.0, box[1] + height / 2.0, width, height};
}

Columns corners_of_swapped_centers(const Columns& box) { return corners_of_centers(swapped(box)); }

Columns swapped_centers_of_corners(const Columns& box) { return swapped(centers_of_corners(box)); }

constexpr std::array<Format, 5> formats = {{
    {"xyxy", unchanged, unchanged, true},
    {"yxyx", swapped, swapped, true, true},
    {"xywh", corners_of_sizes, sizes_of_corners, true},
    {"center_xywh", corners_of_centers, centers_of_corners, true},
    {"center_yxhw", corners_of_swapped_centers, swapped_centers_of_corners, false, true},
}};

bool is_relative(const std::string& name) { return name.starts_with(relative_prefix); }

const Format& format_of(const std::string& name) {
  const std::string absolute = is_relative(name) ? name.substr(std::string(relative_prefix).size()) : name;
  const auto* const found = std::find_if(formats.begin(), formats.end(), [&](const Format& format) {
    return absolute == format.name && (format.can_be_relative || !is_relative(name));
  });
  if (found != formats.end()) return *found;
  throw ValueError(
      "Invalid source or target format. Supported formats: ('xyxy', 'yxyx', 'xywh', 'center_xywh', 'center_yxhw', "
      "'rel_xyxy', 'rel_yxyx', 'rel_xywh', 'rel_center_xywh')");
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string text_of(const std::optional<std::int64_t>& length) { return length ? std::to_string(*length) : "None"; }

void require_four_numbers(const Tensor& boxes) {
  if (boxes.rank() > 0 && boxes.shape().at(-1) == 4) return;
  throw ValueError("`boxes` must be a tensor with the last dimension of 4. Received: boxes.shape=" +
                   boxes.shape().to_string());
}

void require_corners(const std::string& function, const std::string& format) {
  if (format == "xyxy") return;
  throw NotImplementedError("bounding_boxes::" + function + "() takes boxes of the format 'xyxy' only. Received: '" +
                            format + "'");
}

Tensor limited(const Tensor& x, std::int64_t limit) { return maximum(minimum(x, limit), 0); }

}  // namespace

Tensor convert_format(const Tensor& boxes, const std::string& source, const std::string& target, const Tensor& height,
                      const Tensor& width, DType dtype) {
  require_four_numbers(boxes);
  const std::string from = lower_case(source);
  const std::string to = lower_case(target);
  const Format& source_format = format_of(from);
  const Format& target_format = format_of(to);
  Tensor numbers = cast(boxes, dtype);
  if (from == to) return numbers;
  Columns corners = source_format.to_corners(columns_of(numbers));
  if (is_relative(from) == is_relative(to)) return joined(target_format.from_corners(corners));
  const std::array<Tensor, 2> lengths = {cast(width, dtype), cast(height, dtype)};
  if (is_relative(from)) {
    for (std::size_t i = 0; i < corners.size(); ++i) corners[i] = corners[i] * lengths[i % 2];
    return joined(target_format.from_corners(corners));
  }
  // The numbers of the format are divided, not the corners, as in Keras.
  Columns result = target_format.from_corners(corners);
  const std::size_t shift = target_format.has_height_first ? 1 : 0;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = result[i] / lengths[(i + shift) % 2];
  return joined(result);
}

Tensor convert_format(const Tensor& boxes, const std::string& source, const std::string& target,
                      const ConvertFormatOptions& options) {
  require_four_numbers(boxes);
  const std::string from = lower_case(source);
  const std::string to = lower_case(target);
  format_of(from);
  format_of(to);
  if ((is_relative(from) || is_relative(to)) && (!options.height || !options.width)) {
    throw ValueError(
        "convert_format() must receive `height` and `width` transforming between relative and absolute "
        "formats.convert_format() received source=`" +
        from + "`, target=`" + to + ", but height=" + text_of(options.height) + " and width=" + text_of(options.width) +
        ".");
  }
  const auto length = [&](const std::optional<std::int64_t>& given) {
    return Tensor::full({}, given.value_or(1), options.dtype);
  };
  return convert_format(boxes, from, to, length(options.height), length(options.width), options.dtype);
}

LabelledBoxes convert_format(const LabelledBoxes& boxes, const std::string& source, const std::string& target,
                             const ConvertFormatOptions& options) {
  return {convert_format(boxes.boxes, source, target, options), boxes.labels};
}

LabelledBoxes clip_to_image_size(const LabelledBoxes& bounding_boxes, const ClipToImageSizeOptions& options) {
  const std::string& format = options.bounding_box_format;
  if (format != "xyxy" && format != "rel_xyxy") {
    throw NotImplementedError(
        "bounding_boxes::clip_to_image_size() takes boxes of the formats 'xyxy' and 'rel_xyxy' only. Received: '" +
        format + "'");
  }
  const bool is_in_pixels = format == "xyxy";
  if (is_in_pixels && (!options.height || !options.width)) {
    throw ValueError("`height` and `width` must be set if `format='xyxy'`.");
  }
  require_four_numbers(bounding_boxes.boxes);
  const std::int64_t height = is_in_pixels ? *options.height : 1;
  const std::int64_t width = is_in_pixels ? *options.width : 1;
  Columns box = columns_of(bounding_boxes.boxes);
  for (std::size_t i = 0; i < box.size(); ++i) box[i] = limited(box[i], i % 2 == 0 ? width : height);
  LabelledBoxes result = {joined(box), bounding_boxes.labels};
  if (result.labels.is_empty()) return result;
  const Tensor areas = squeeze((box[2] - box[0]) * (box[3] - box[1]), {-1});
  result.labels = where(areas > 0, result.labels, -1);
  return result;
}

Tensor crop(const Tensor& boxes, std::int64_t top, std::int64_t left, std::int64_t height, std::int64_t width,
            const CropOptions& options) {
  require_corners("crop", options.bounding_box_format);
  require_four_numbers(boxes);
  const Columns box = columns_of(boxes);
  const auto along = [](const Tensor& x, std::int64_t begin, std::int64_t length) {
    return limited(x - begin, length);
  };
  return joined(
      {along(box[0], left, width), along(box[1], top, height), along(box[2], left, width), along(box[3], top, height)});
}

Tensor pad(const Tensor& boxes, std::int64_t top, std::int64_t left, const PadOptions& options) {
  require_corners("pad", options.bounding_box_format);
  require_four_numbers(boxes);
  const Columns box = columns_of(boxes);
  return joined({box[0] + left, box[1] + top, box[2] + left, box[3] + top});
}

}  // namespace rhyton::utils::bounding_boxes
