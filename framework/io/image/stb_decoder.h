#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace rhyton::io {

/// The result of stb_image for a file.
struct StbImage {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;
  /// stb_image's error; empty if there was none.
  std::string failure = {};
  /// Whether the error was a lack of memory.
  bool out_of_memory = false;
};

/// Reads the header only.
StbImage stb_image_header(std::span<const std::byte> bytes);

/// Decodes the image with at most `memory` bytes of memory and passes the pixels, 8 bits each, to `take` before they
/// are released. `channels`: the number of channels to convert to; 0 keeps the image's own.
StbImage stb_decode(std::span<const std::byte> bytes, std::uint64_t memory, int channels,
                    const std::function<void(const StbImage&, std::span<const std::uint8_t>)>& take);

}  // namespace rhyton::io
