#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace rhyton::io {

/// What stb_image says of a file.
struct StbImage {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;
  /// Why it could not be read, in stb_image's words; empty where it could.
  std::string failure = {};
  /// Whether that was for want of memory.
  bool out_of_memory = false;
};

/// Reads the header only.
StbImage stb_image_header(std::span<const std::byte> bytes);

/// Decodes the image with at most `memory` bytes of memory and hands the pixels, 8 bits each, to `take` before it gives
/// them up. `channels`: how many to make; as many as there are where 0.
StbImage stb_decode(std::span<const std::byte> bytes, std::uint64_t memory, int channels,
                    const std::function<void(const StbImage&, std::span<const std::uint8_t>)>& take);

}  // namespace rhyton::io
