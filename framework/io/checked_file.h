#pragma once

#include <filesystem>
#include <string_view>

namespace rhyton::io {

/// Appends a checksum (CRC-32) of all bytes of a file. Readers of formats that contain the file's length, as HDF5 does,
/// ignore it. Throws IOError naming `name` where the file cannot be written.
void append_checksum(const std::filesystem::path& path, std::string_view name);

/// Whether the file ends with a checksum from `append_checksum`. Throws IOError where it does not match the bytes
/// before, NotFoundError or IOError where the file cannot be read.
bool verify_checksum(const std::filesystem::path& path);

}  // namespace rhyton::io
