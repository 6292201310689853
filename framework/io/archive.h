#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rhyton::io {

/// Extracts an archive to a folder, which is created: a tar file, plain or compressed by gzip, or a zip file. Members
/// of a tar file whose paths would be outside of the folder, links and devices are left out, with a warning; a zip file
/// with such paths is refused. `formats`: those of "tar" and "zip" that are tried. Returns whether the file is such an
/// archive. Throws NotFoundError, IOError for a damaged archive or if files cannot be written, ValueError for other
/// formats.
bool extract_archive(const std::filesystem::path& file, const std::filesystem::path& folder,
                     const std::vector<std::string>& formats = {"tar", "zip"});

}  // namespace rhyton::io
