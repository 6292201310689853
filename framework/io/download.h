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
  /// Where "Downloading data from …" and the progress bar go, usually `&std::cout`; nullptr: nothing is printed.
  std::ostream* progress = nullptr;
  /// The largest file accepted, in bytes.
  std::uint64_t size_limit = std::uint64_t{64} << 30;
  /// Seconds until a mirror that does not answer, or that sends nothing, is given up.
  int timeout_seconds = 30;
};

/// Fetches a file (`https://`, `http://`, `file://`) from the first of these mirrors that has it, and puts it at
/// `destination` in one step once it is complete and its checksum is right; until then nothing is there, and a file
/// that was there stays. Throws IOError that lists what failed for each mirror; ValueError when there is no mirror.
void download(const std::vector<std::string>& urls, const std::filesystem::path& destination,
              const DownloadOptions& options = {});

}  // namespace rhyton::io
