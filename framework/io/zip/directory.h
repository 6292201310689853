#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <rhyton/framework/io/file_part.h>

namespace rhyton::io {

/// The offset of the first byte of a member in an archive, which libzip does not provide. Empty where the archive's
/// directory gives no plain offset, as beyond 4 GiB. The caller must verify the bytes at that offset.
std::optional<std::uint64_t> zip_data_offset(const FilePart& archive, std::string_view name);

}  // namespace rhyton::io
