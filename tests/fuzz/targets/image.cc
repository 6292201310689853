// An image file: unchanged, and, for a PNG, also with corrected checksums, without which mutations would not get beyond
// their check.

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/image/image.h>

namespace {

constexpr std::size_t signature_bytes = 8;

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

/// The chunks of a PNG (length, type, content, CRC-32 of the last two), each with its correct checksum.
std::vector<std::uint8_t> with_checksums(std::span<const std::uint8_t> file) {
  constexpr std::size_t around_content = 12;
  std::vector<std::uint8_t> mended(file.begin(), file.end());
  std::size_t position = signature_bytes;
  while (mended.size() - position >= around_content) {
    std::uint8_t* chunk = mended.data() + position;
    const std::size_t length = big_endian(chunk);
    if (length > mended.size() - position - around_content) break;
    const auto checksum = static_cast<std::uint32_t>(crc32_z(0, chunk + 4, 4 + length));
    for (int i = 0; i < 4; ++i) chunk[8 + length + i] = static_cast<std::uint8_t>(checksum >> (24 - 8 * i));
    position += around_content + length;
  }
  return mended;
}

void decode(std::span<const std::uint8_t> file) {
  const rhyton::io::ImageLimits limits{.pixels = std::int64_t{1} << 18};
  for (const auto decoder : {rhyton::io::decode_image, rhyton::io::decode_luminance}) {
    try {
      static_cast<void>(decoder(std::as_bytes(file), "input", limits));
    } catch (const rhyton::Error&) {
      continue;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> file(data, size);
  decode(file);
  if (size > signature_bytes && rhyton::io::image_format(std::as_bytes(file)) == rhyton::io::ImageFormat::png) {
    decode(with_checksums(file));
  }
  return 0;
}
