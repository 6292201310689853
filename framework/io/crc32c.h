#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rhyton::io {

/// The checksum CRC-32C of the bytes (Castagnoli; RFC 3720, appendix B.4).
std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace rhyton::io
