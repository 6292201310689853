#include <string>

#include <fmt/format.h>

#include <rhyton/framework/io/image/image.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>

namespace rhyton::io {
namespace {

void append(void* file, void* data, int size) {
  const auto* const bytes = static_cast<const std::byte*>(data);
  static_cast<std::vector<std::byte>*>(file)->insert(static_cast<std::vector<std::byte>*>(file)->end(), bytes,
                                                     bytes + size);
}

void require_image(const Tensor& pixels) {
  constexpr std::int64_t longest_side = 65535;
  const bool is_image = pixels.is_concrete() && pixels.dtype() == DType::uint8 && pixels.rank() == 3;
  const std::int64_t channels = is_image ? pixels.shape()[2] : 0;
  if (!is_image || (channels != 1 && channels != 3 && channels != 4)) {
    throw ValueError(fmt::format(
        "An image to be written must be a uint8 tensor of shape (height, width, channels) with 1, 3 or 4 channels. "
        "Received: {}",
        pixels.is_empty() ? "nothing" : std::string(name_of(pixels.dtype())) + " " + pixels.shape().to_string()));
  }
  for (const int axis : {0, 1}) {
    if (pixels.shape()[axis] < 1 || pixels.shape()[axis] > longest_side) {
      throw ValueError(fmt::format("The sides of an image to be written must be from 1 to {}. Received shape: {}",
                                   longest_side, pixels.shape().to_string()));
    }
  }
}

}  // namespace

std::vector<std::byte> encode_image(const Tensor& pixels, ImageFormat format, int quality) {
  require_image(pixels);
  if (quality < 1 || quality > 100) {
    throw ValueError(fmt::format("The quality of a JPEG file is from 1 to 100, not {}.", quality));
  }
  const int height = static_cast<int>(pixels.shape()[0]);
  const int width = static_cast<int>(pixels.shape()[1]);
  const int channels = static_cast<int>(pixels.shape()[2]);
  const void* const data = pixels.raw_data();
  std::vector<std::byte> file;
  int written = 0;
  switch (format) {
    case ImageFormat::png:
      written = stbi_write_png_to_func(append, &file, width, height, channels, data, width * channels);
      break;
    case ImageFormat::jpeg:
      written = stbi_write_jpg_to_func(append, &file, width, height, channels, data, quality);
      break;
    case ImageFormat::bmp:
      written = stbi_write_bmp_to_func(append, &file, width, height, channels, data);
      break;
    case ImageFormat::gif:
      throw ValueError("GIF files cannot be written. Write a PNG, JPEG or BMP file.");
  }
  if (written == 0) throw ResourceExhaustedError("no memory to write an image");
  return file;
}

}  // namespace rhyton::io
