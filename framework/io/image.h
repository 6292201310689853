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

/// The image files that are read; all but GIF are written too.
enum class ImageFormat : std::uint8_t { png, jpeg, bmp, gif };

/// "PNG", "JPEG", "BMP", "GIF".
std::string_view name_of(ImageFormat format);

/// The format of a file that begins with these bytes; empty when it is none of them.
std::optional<ImageFormat> image_format(std::span<const std::byte> bytes);

/// What is refused before anything is decoded, so that a small file cannot ask for much memory.
struct ImageLimits {
  /// The largest width and height.
  std::int64_t side = 65535;
  /// The largest width · height; as many as Pillow decodes.
  std::int64_t pixels = 178956970;
  /// The largest file.
  std::uint64_t bytes = std::uint64_t{1} << 30;
};

/// The pixels of an image file: uint8 (height, width, channels), with as many channels as the file has: 1 grey, 2 grey
/// and alpha, 3 RGB, 4 RGB and alpha. Of a GIF the first frame, with alpha. 16 bits a channel become the upper 8. A
/// whole file is asked for: one that is cut short, or whose checksums are wrong, is an error.
///
/// `name` is the file's name for error messages. Decoding takes at most 24 bytes of memory for each pixel that the
/// header announces, four times the file, and 1 MiB. Throws IOError when the bytes are no such image, damaged or cut
/// short; ResourceExhaustedError when they exceed the limits. May be called from several threads.
Tensor decode_image(std::span<const std::byte> bytes, std::string_view name, const ImageLimits& limits = {});

/// The luminance of a JPEG file alone, as it is stored there: uint8 (height, width, 1). Of other files the same pixels
/// as `decode_image`. Throws as that does.
Tensor decode_luminance(std::span<const std::byte> bytes, std::string_view name, const ImageLimits& limits = {});

/// `decode_image` of a file. Throws NotFoundError when there is none.
Tensor read_image(const std::filesystem::path& path, const ImageLimits& limits = {});

/// The quality that JPEG files are written with unless told otherwise, as Pillow's.
inline constexpr int default_jpeg_quality = 75;

/// Pixels, uint8 (height, width, channels) with 1, 3 or 4 channels, as an image file. JPEG files have no alpha, which
/// is left out. `quality`, from 1 to 100, is that of JPEG. Throws ValueError for other tensors, for GIF and for another
/// quality.
std::vector<std::byte> encode_image(const Tensor& pixels, ImageFormat format, int quality = default_jpeg_quality);

}  // namespace rhyton::io
