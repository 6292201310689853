#pragma once

#include <filesystem>
#include <string_view>

namespace rhyton::io {

/// Adds a checksum (CRC-32) of all bytes of a file behind them. Readers of formats that say where a file ends, as HDF5
/// does, pass over it. Throws IOError naming `name` where the file cannot be written.
void append_checksum(const std::filesystem::path& path, std::string_view name);

/// Whether the file ends with what `append_checksum` has added. Throws IOError where it does and the bytes before are
/// others than those were, NotFoundError or IOError where the file cannot be read.
bool verify_checksum(const std::filesystem::path& path);

}  // namespace rhyton::io
