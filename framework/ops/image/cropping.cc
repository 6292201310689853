#include <rhyton/framework/ops/image/cropping.h>

#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace image {
namespace {

using Length = std::optional<std::int64_t>;

struct Argument {
  std::string name;
  Length value;
};

/// The arguments of one axis; exactly one of them is not given.
struct Margins {
  Argument before;
  Argument after;
  Argument target;
};

std::string written(const Argument& argument) {
  return argument.name + "=" + (argument.value ? std::to_string(*argument.value) : "None");
}

void require_two(const Margins& margins) {
  const int given = int{margins.before.value.has_value()} + int{margins.after.value.has_value()} +
                    int{margins.target.value.has_value()};
  if (given == 2) return;
  throw ValueError("Must specify exactly two of " + margins.before.name + ", " + margins.after.name + ", " +
                   margins.target.name + ". Received: " + written(margins.before) + ", " + written(margins.after) +
                   ", " + written(margins.target));
}

void require_not_negative(const Argument& argument) {
  if (!argument.value || *argument.value >= 0) return;
  throw ValueError(argument.name + " must be >= 0. Received: " + written(argument));
}

/// The arguments of both axes.
struct BothMargins {
  explicit BothMargins(const CropImagesOptions& options)
      : rows{{"top_cropping", options.top_cropping},
             {"bottom_cropping", options.bottom_cropping},
             {"target_height", options.target_height}},
        columns{{"left_cropping", options.left_cropping},
                {"right_cropping", options.right_cropping},
                {"target_width", options.target_width}} {}
  explicit BothMargins(const PadImagesOptions& options)
      : rows{{"top_padding", options.top_padding},
             {"bottom_padding", options.bottom_padding},
             {"target_height", options.target_height}},
        columns{{"left_padding", options.left_padding},
                {"right_padding", options.right_padding},
                {"target_width", options.target_width}} {}

  void check() const {
    require_two(rows);
    require_two(columns);
    for (const Margins& margins : {rows, columns}) {
      require_not_negative(margins.before);
      require_not_negative(margins.after);
      require_not_negative(margins.target);
    }
  }
  Margins rows;
  Margins columns;
};

void require_one_or_several(const Tensor& images) {
  if (images.rank() == 3 || images.rank() == 4) return;
  throw ValueError(
      "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received: images.shape=" +
      images.shape().to_string());
}

/// The height and width axes.
std::pair<int, int> spatial_axes(const Tensor& images, const std::string& data_format) {
  const int last = images.rank() - (has_channels_first(data_format) ? 1 : 2);
  return {last - 1, last};
}

/// total - a - b
std::int64_t rest_of(std::int64_t total, std::int64_t a, std::int64_t b) {
  return checked_subtract(checked_subtract(total, a), b);
}

void complete_crop(Margins& margins, std::int64_t length) {
  if (!margins.before.value) {
    margins.before.value = rest_of(length, *margins.target.value, *margins.after.value);
  } else if (!margins.target.value) {
    margins.target.value = rest_of(length, *margins.after.value, *margins.before.value);
  }
  require_not_negative(margins.before);
  require_not_negative(margins.target);
}

void complete_pad(Margins& margins, std::int64_t length) {
  if (!margins.before.value) {
    margins.before.value = rest_of(*margins.target.value, *margins.after.value, length);
  } else if (!margins.after.value) {
    margins.after.value = rest_of(*margins.target.value, *margins.before.value, length);
  }
  require_not_negative(margins.before);
  require_not_negative(margins.after);
}

}  // namespace

Tensor crop_images(const Tensor& images, const CropImagesOptions& options) {
  require_one_or_several(images);
  BothMargins margins(options);
  margins.check();
  auto& [rows, columns] = margins;
  const auto [height, width] = spatial_axes(images, options.data_format);
  complete_crop(rows, images.shape()[height]);
  complete_crop(columns, images.shape()[width]);
  std::vector<std::int64_t> begin(static_cast<std::size_t>(images.rank()), 0);
  std::vector<std::int64_t> sizes(images.shape().begin(), images.shape().end());
  const auto cut = [&](int axis, const Margins& margins) {
    begin[static_cast<std::size_t>(axis)] = *margins.before.value;
    sizes[static_cast<std::size_t>(axis)] = *margins.target.value;
  };
  cut(height, rows);
  cut(width, columns);
  return slice(images, begin, sizes);
}

Tensor pad_images(const Tensor& images, const PadImagesOptions& options) {
  require_one_or_several(images);
  BothMargins margins(options);
  margins.check();
  auto& [rows, columns] = margins;
  const auto [height, width] = spatial_axes(images, options.data_format);
  complete_pad(rows, images.shape()[height]);
  complete_pad(columns, images.shape()[width]);
  std::vector<std::pair<std::int64_t, std::int64_t>> paddings(static_cast<std::size_t>(images.rank()));
  paddings[static_cast<std::size_t>(height)] = {*rows.before.value, *rows.after.value};
  paddings[static_cast<std::size_t>(width)] = {*columns.before.value, *columns.after.value};
  return pad(images, paddings);
}

void require_margins(const CropImagesOptions& options) { BothMargins(options).check(); }
void require_margins(const PadImagesOptions& options) { BothMargins(options).check(); }

}  // namespace image
}  // namespace ops
}  // namespace rhyton
