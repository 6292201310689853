#include <rhyton/framework/io/image/image.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>

#include <fmt/format.h>

#include <rhyton/framework/device/round_up.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/image/stb_decoder.h>
#include <rhyton/framework/io/image/structure.h>

namespace rhyton::io {
namespace {

bool begins_with(std::span<const std::byte> bytes, std::string_view start) {
  return bytes.size() >= start.size() && std::memcmp(bytes.data(), start.data(), start.size()) == 0;
}

void require_within(std::string_view name, const StbImage& image, const ImageLimits& limits) {
  if (image.width > limits.side || image.height > limits.side || image.width * image.height > limits.pixels) {
    throw ResourceExhaustedError(
        fmt::format("\"{}\" has {} × {} pixels, more than the limit of {} pixels and {} on a side", name, image.width,
                    image.height, limits.pixels, limits.side));
  }
}

/// The maximum memory for decoding, besides the tensor.
std::uint64_t decoder_memory(const StbImage& image, std::size_t file_bytes) {
  constexpr std::uint64_t bytes_per_pixel = 20;  // the maximum, of a progressive JPEG or a PNG of 4 × 16 bits
  constexpr std::uint64_t tables = std::uint64_t{1} << 20;
  constexpr std::uint64_t block = 32;  // JPEG decodes whole blocks
  const auto rounded = [](std::int64_t side) { return round_up(static_cast<std::uint64_t>(side), block); };
  return bytes_per_pixel * rounded(image.width) * rounded(image.height) + 4 * std::uint64_t{file_bytes} + tables;
}

[[noreturn]] void fail(std::string_view name, ImageFormat format, const StbImage& image) {
  if (image.out_of_memory) {
    throw ResourceExhaustedError(
        fmt::format("\"{}\" takes more memory than a {} image of its size should", name, name_of(format)));
  }
  throw IOError(fmt::format("\"{}\" is damaged, or not a supported {} file: {}", name, name_of(format), image.failure));
}

/// `luminance`: only that channel of a JPEG file.
Tensor decode(std::span<const std::byte> bytes, std::string_view name, const ImageLimits& limits, bool luminance) {
  const std::uint64_t max_bytes = std::min<std::uint64_t>(limits.bytes, std::numeric_limits<int>::max());
  if (bytes.size() > max_bytes) {
    throw ResourceExhaustedError(
        fmt::format("\"{}\" has {} bytes, more than the limit of {} bytes", name, bytes.size(), max_bytes));
  }
  if (bytes.empty()) throw IOError(fmt::format("\"{}\" is empty: expected an image", name));
  const std::optional<ImageFormat> format = image_format(bytes);
  if (!format) {
    throw IOError(fmt::format("\"{}\" is not a supported image: expected a PNG, JPEG, BMP or GIF file", name));
  }
  check_image_structure(bytes, *format, name);
  const StbImage header = stb_image_header(bytes);
  if (!header.failure.empty()) fail(name, *format, header);
  if (header.width <= 0 || header.height <= 0) {
    throw IOError(fmt::format("\"{}\" is damaged: it has {} × {} pixels", name, header.width, header.height));
  }
  require_within(name, header, limits);

  Tensor pixels;
  const StbImage image =
      stb_decode(bytes, decoder_memory(header, bytes.size()), luminance && format == ImageFormat::jpeg ? 1 : 0,
                 [&](const StbImage& decoded, std::span<const std::uint8_t> content) {
                   pixels = Tensor::from_data<std::uint8_t>({decoded.height, decoded.width, decoded.channels}, content);
                 });
  if (!image.failure.empty()) fail(name, *format, image);
  return pixels;
}

}  // namespace

std::string_view name_of(ImageFormat format) {
  constexpr std::array<std::string_view, 4> names = {"PNG", "JPEG", "BMP", "GIF"};
  return names.at(static_cast<std::size_t>(format));
}

std::optional<ImageFormat> image_format(std::span<const std::byte> bytes) {
  using namespace std::string_view_literals;
  if (begins_with(bytes, "\x89PNG\r\n\x1a\n"sv)) return ImageFormat::png;
  if (begins_with(bytes, "\xff\xd8\xff"sv)) return ImageFormat::jpeg;
  if (begins_with(bytes, "BM"sv)) return ImageFormat::bmp;
  if (begins_with(bytes, "GIF87a"sv) || begins_with(bytes, "GIF89a"sv)) return ImageFormat::gif;
  return std::nullopt;
}

Tensor decode_image(std::span<const std::byte> bytes, std::string_view name, const ImageLimits& limits) {
  return decode(bytes, name, limits, false);
}

Tensor decode_luminance(std::span<const std::byte> bytes, std::string_view name, const ImageLimits& limits) {
  return decode(bytes, name, limits, true);
}

Tensor read_image(const std::filesystem::path& path, const ImageLimits& limits) {
  return decode_image(read_file(path, limits.bytes), path.string(), limits);
}

}  // namespace rhyton::io
