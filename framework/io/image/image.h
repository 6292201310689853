#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::io {

/// The supported formats of image files; all but GIF can be written too.
enum class ImageFormat : std::uint8_t { png, jpeg, bmp, gif };

/// "PNG", "JPEG", "BMP", "GIF".
std::string_view name_of(ImageFormat format);

/// The format of a file that begins with these bytes; empty when it is none of them.
std::optional<ImageFormat> image_format(std::span<const std::byte> bytes);

/// Limits that are checked before anything is decoded, so that a small file cannot cause a large allocation.
struct ImageLimits {
  /// The maximum width and height.
  std::int64_t side = 65535;
  /// The maximum of width · height; the same as Pillow's.
  std::int64_t pixels = 178956970;
  /// The maximum size of a file.
  std::uint64_t bytes = std::uint64_t{1} << 30;
};

/// The pixels of an image file: uint8 (height, width, channels), with the file's channels: 1 grey, 2 grey and alpha, 3
/// RGB, 4 RGB and alpha. Of a GIF the first frame, with alpha. Of 16 bits per channel the upper 8 are kept. The file
/// must be complete: a truncated one, or one with wrong checksums, is an error.
///
/// `name` is the file's name for error messages. Decoding takes at most 24 bytes of memory for each pixel according to
/// the header, four times the file, and 1 MiB. Throws IOError when the bytes are no such image, damaged or truncated;
/// ResourceExhaustedError when they exceed the limits. May be called from several threads.
Tensor decode_image(std::span<const std::byte> bytes, std::string_view name, const ImageLimits& limits = {});

/// The luminance channel of a JPEG file, as it is stored: uint8 (height, width, 1). For other files the result of
/// `decode_image`. Throws as `decode_image`.
Tensor decode_luminance(std::span<const std::byte> bytes, std::string_view name, const ImageLimits& limits = {});

/// `decode_image` of a file. Throws NotFoundError when there is none.
Tensor read_image(const std::filesystem::path& path, const ImageLimits& limits = {});

/// The default quality of JPEG files, as Pillow's.
inline constexpr int default_jpeg_quality = 75;

/// Pixels, uint8 (height, width, channels) with 1, 3 or 4 channels, as an image file. JPEG files have no alpha, which
/// is omitted. `quality`, from 1 to 100, is that of JPEG. Throws ValueError for other tensors, for GIF and for another
/// quality.
std::vector<std::byte> encode_image(const Tensor& pixels, ImageFormat format, int quality = default_jpeg_quality);

}  // namespace rhyton::io
