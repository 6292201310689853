#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton::io {

/// True when `bytes` begin with gzip's signature.
bool is_gzip(std::span<const std::byte> bytes);

/// The default limit of `gzip_decompress`: 16 GiB.
inline constexpr std::uint64_t default_gzip_limit = std::uint64_t{16} << 30;

/// The content of a gzip file of one or more members; every member's length and checksum are verified. `name` is the
/// file's name for error messages. Throws IOError when the bytes are damaged, truncated or followed by other data,
/// ResourceExhaustedError when the content has more than `limit` bytes.
std::vector<std::byte> gzip_decompress(std::span<const std::byte> bytes, std::string_view name,
                                       std::uint64_t limit = default_gzip_limit);

/// `bytes` as a gzip file of one member, without name and time, so that equal input gives equal output. `level` is from
/// 0 (stored) to 9 (smallest). Throws ValueError for another level.
std::vector<std::byte> gzip_compress(std::span<const std::byte> bytes, int level = 6);

}  // namespace rhyton::io
