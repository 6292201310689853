#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton::io {

struct DownloadOptions {
  /// The expected checksum, 64 hexadecimal digits; empty: not checked.
  std::string sha256 = {};
  /// The same with an MD5 checksum, 32 hexadecimal digits.
  std::string md5 = {};
  /// Receives "Downloading data from …" and the progress bar, usually `&std::cout`; nullptr: nothing is printed.
  std::ostream* progress = nullptr;
  /// The maximum size of the file, in bytes.
  std::uint64_t size_limit = std::uint64_t{64} << 30;
  /// The time-out in seconds for a mirror that does not answer, or sends nothing.
  int timeout_seconds = 30;
};

/// Downloads a file (`https://`, `http://`, `file://`) from the first of these mirrors that has it, and moves it to
/// `destination` in one step when it is complete and its checksum is right; until then an existing file stays. Throws
/// IOError that lists the failure of each mirror; ValueError when there is no mirror.
void download(const std::vector<std::string>& urls, const std::filesystem::path& destination,
              const DownloadOptions& options = {});

}  // namespace rhyton::io
