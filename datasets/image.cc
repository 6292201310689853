#include <rhyton/datasets/image.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/image_channels.h>
#include <rhyton/datasets/image_resampling.h>
#include <rhyton/datasets/lower_case.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/image/image.h>

namespace rhyton::datasets {
namespace {

/// The largest centred part with the proportions of `target`.
ImageBox centered_box(const ImageSize& size, const ImageSize& target) {
  const std::int64_t height = std::clamp<std::int64_t>(size.width * target.height / target.width, 1, size.height);
  const std::int64_t width = std::clamp<std::int64_t>(size.height * target.width / target.height, 1, size.width);
  return {.top = (size.height - height) / 2, .left = (size.width - width) / 2, .size = {height, width}};
}

Tensor resized(const Tensor& image, const LoadImgOptions& options) {
  const ImageSize size(image.shape()[0], image.shape()[1]);
  const ImageSize& target = options.target_size;
  if (target.is_empty() || size == target) return image;
  const std::optional<ResamplingFilter> filter = resampling_filter(options.interpolation);
  if (!filter) {
    throw ValueError(
        fmt::format("Invalid interpolation method {} specified. Supported methods are nearest, bilinear, bicubic, "
                    "hamming, box, lanczos",
                    options.interpolation));
  }
  const ImageBox whole = {.size = size};
  return resample_image(image, options.keep_aspect_ratio ? centered_box(size, target) : whole, target, *filter);
}

io::ImageFormat format_for(const std::filesystem::path& path, const std::string& file_format) {
  const std::string extension = path.extension().string();
  const std::string name = lower_case(file_format.empty() && !extension.empty() ? extension.substr(1) : file_format);
  if (name == "png") return io::ImageFormat::png;
  if (name == "jpg" || name == "jpeg") return io::ImageFormat::jpeg;
  if (name == "bmp") return io::ImageFormat::bmp;
  throw ValueError(
      fmt::format("\"{}\" cannot be written as an image: expected the format png, jpeg or bmp, by its extension or by "
                  "`file_format`. "
                  "Received: \"{}\"",
                  path.string(), name));
}

}  // namespace

Tensor load_img(const std::filesystem::path& path, const LoadImgOptions& options) {
  const std::int64_t channels = channels_of(options.color_mode);
  if (channels == 0) throw ValueError("color_mode must be \"grayscale\", \"rgb\", or \"rgba\"");
  const ImageSize& target = options.target_size;
  constexpr std::int64_t longest_side = 65535;
  if (!target.is_empty() &&
      (std::min(target.height, target.width) < 1 || std::max(target.height, target.width) > longest_side)) {
    throw ValueError(fmt::format("`target_size` must be two integers from 1 to {}. Received: target_size=({}, {})",
                                 longest_side, target.height, target.width));
  }
  return resized(with_channels(io::read_image(path), channels), options);
}

Tensor img_to_array(const Tensor& image) {
  if (image.is_empty() || image.rank() < 2 || image.rank() > 3) {
    throw ValueError("Unsupported image shape: " + (image.is_empty() ? "none" : image.shape().to_string()));
  }
  Tensor array =
      Tensor::uninitialized(image.rank() == 3 ? image.shape() : image.shape().concatenate({1}), DType::float32);
  const std::vector<double> values = image.to_vector();
  std::transform(values.begin(), values.end(), array.mutable_data<float>(),
                 [](double value) { return static_cast<float>(value); });
  return array;
}

Tensor array_to_img(const Tensor& x, const ArrayToImgOptions& options) {
  if (x.is_empty() || x.rank() != 3) {
    throw ValueError("Expected image array to have rank 3 (single image). Got array with shape: " +
                     (x.is_empty() ? "none" : x.shape().to_string()));
  }
  const std::int64_t channels = x.shape()[2];
  if (channels != 1 && channels != 3 && channels != 4) {
    throw ValueError("Unsupported channel number: " + std::to_string(channels));
  }
  if (x.size() == 0) throw ValueError("An image has at least one pixel. Received shape: " + x.shape().to_string());
  const std::vector<double> elements = x.to_vector();
  std::vector<float> values(elements.begin(), elements.end());
  if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); })) {
    throw ValueError("An array to become an image must be finite. It has values that are infinite or no numbers.");
  }
  if (options.scale) {
    const float least = *std::min_element(values.begin(), values.end());
    for (float& value : values) value -= least;
    const float greatest = *std::max_element(values.begin(), values.end());
    for (float& value : values) value = (greatest != 0 ? value / greatest : value) * 255;
  }
  Tensor image = Tensor::uninitialized(x.shape(), DType::uint8);
  auto* levels = image.mutable_data<std::uint8_t>();
  for (const float value : values) {
    const float level = std::trunc(value);
    if (!(level >= 0 && level <= 255)) {
      throw ValueError(fmt::format(
          "The values of an image are from 0 to 255. Received {}; `scale = true` brings an array into that range.",
          value));
    }
    *levels++ = static_cast<std::uint8_t>(level);
  }
  return image;
}

void save_img(const std::filesystem::path& path, const Tensor& x, const SaveImgOptions& options) {
  const io::ImageFormat format = format_for(path, options.file_format);
  io::write_file(path, io::encode_image(array_to_img(x, {.scale = options.scale}), format));
}

}  // namespace rhyton::datasets
