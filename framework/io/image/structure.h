#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <rhyton/framework/io/image/image.h>

namespace rhyton::io {

/// Parses a file's blocks without decoding them and finds errors that a decoder would ignore or notice too late: a
/// truncated file, wrong checksums (PNG), more pixels in the header than the file's bytes can hold (PNG, JPEG). Throws
/// IOError naming `name`. `bytes` must begin as files of that format do.
void check_image_structure(std::span<const std::byte> bytes, ImageFormat format, std::string_view name);

}  // namespace rhyton::io
