#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rhyton::io {

/// The checksum CRC-32C of the bytes (Castagnoli; RFC 3720, appendix B.4).
std::uint32_t crc32c(std::span<const std::byte> bytes);

/// The same as TFRecord files store it, rotated and shifted: a checksum of data that contain checksums themselves would
/// be weak.
std::uint32_t masked_crc32c(std::span<const std::byte> bytes);

}  // namespace rhyton::io
