#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <rhyton/framework/io/file_part.h>

namespace rhyton::io {

/// Where the bytes of the member of that name begin in an archive, which libzip does not tell. Empty where the
/// directory of the archive does not say it plainly, as beyond 4 GiB. What lies there has to be checked.
std::optional<std::uint64_t> zip_data_offset(const FilePart& archive, std::string_view name);

}  // namespace rhyton::io
