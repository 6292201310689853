#include <rhyton/datasets/get_file.h>

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <system_error>

#include <fmt/format.h>

#include <rhyton/datasets/location.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/archive.h>
#include <rhyton/framework/io/checksum.h>
#include <rhyton/framework/io/download.h>
#include <rhyton/framework/warning.h>

namespace rhyton::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t sha256_digits = 64;

/// The name of the file in a URL: the last part of its path.
std::string name_in(const std::string& origin) {
  std::string path = origin.substr(0, origin.find_first_of("?#"));
  const std::size_t scheme = path.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return path;
  return slash < begin ? std::string() : path.substr(slash + 1);
}

fs::path folder_for(const GetFileOptions& options) {
  // `cache_folder` is the subfolder "datasets" of the default place.
  fs::path base = cache_folder().parent_path();
  if (!options.cache_dir.empty()) {
    base = options.cache_dir;
    std::error_code ignored;
    fs::create_directories(base, ignored);
    if (access(base.c_str(), W_OK) != 0) base = "/tmp/.keras";
  }
  return base / options.cache_subdir;
}

struct Checksum {
  io::ChecksumKind kind = io::ChecksumKind::sha256;
  std::string name;
  std::string digits;
};

Checksum expected_checksum(const GetFileOptions& options) {
  const bool is_auto = options.hash_algorithm == "auto";
  if (!is_auto && options.hash_algorithm != "sha256" && options.hash_algorithm != "md5") {
    throw ValueError("`hash_algorithm` must be one of 'auto', 'sha256' and 'md5'. Received: hash_algorithm=" +
                     options.hash_algorithm);
  }
  const bool is_sha256 = is_auto ? options.file_hash.size() == sha256_digits : options.hash_algorithm == "sha256";
  std::string digits = options.file_hash;
  std::transform(digits.begin(), digits.end(), digits.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return {is_sha256 ? io::ChecksumKind::sha256 : io::ChecksumKind::md5, is_sha256 ? "sha256" : "md5", digits};
}

/// Where an archive is kept, and the folder with its content.
struct ArchivePlaces {
  std::string file;
  std::string folder;
};

ArchivePlaces archive_places(const std::string& name, bool is_given) {
  const std::size_t dot = name.find('.');
  if (is_given && dot != std::string::npos) return {name, name.substr(0, dot) + "_extracted"};
  return {name + "_archive", name};
}

/// Downloads the file unless it is there.
void fetch(const std::string& origin, const fs::path& file, const Checksum& expected, bool force) {
  std::error_code error;
  if (!force && fs::exists(file, error)) {
    if (expected.digits.empty() || io::checksum_of_file(expected.kind, file) == expected.digits) return;
    std::cout << "A local file was found, but it seems to be incomplete or outdated because the " << expected.name
              << " file hash does not match the original value of " << expected.digits
              << " so we will re-download the data.\n";
  }
  fs::create_directories(file.parent_path(), error);
  if (error) {
    throw IOError(
        fmt::format("cannot make the folder \"{}\" for downloads: {}", file.parent_path().string(), error.message()));
  }
  io::DownloadOptions download = {.progress = &std::cout};
  (expected.kind == io::ChecksumKind::sha256 ? download.sha256 : download.md5) = expected.digits;
  io::download({origin}, file, download);
}

}  // namespace

std::string get_file(const std::string& origin, const GetFileOptions& options) {
  if (origin.empty()) throw ValueError("Please specify the \"origin\" argument (URL of the file to download).");
  const std::string name = options.fname.empty() ? name_in(origin) : options.fname;
  if (name.empty()) {
    throw ValueError("Can't parse the file name from the origin provided: '" + origin +
                     "'. Please specify the `fname` argument.");
  }
  if (name.find('/') != std::string::npos) {
    throw ValueError(
        "Paths are no longer accepted as the `fname` argument. To specify the file's parent directory, use the "
        "`cache_dir` argument. Received: fname=" +
        name);
  }
  const Checksum expected = expected_checksum(options);
  const fs::path folder = folder_for(options);
  if (!options.extract) {
    fetch(origin, folder / name, expected, options.force_download);
    return (folder / name).string();
  }
  const ArchivePlaces places = archive_places(name, !options.fname.empty());
  const fs::path archive = folder / places.file;
  fetch(origin, archive, expected, options.force_download);
  if (!io::extract_archive(archive, folder / places.folder, options.archive_format)) warn("Could not extract archive.");
  return (folder / places.folder).string();
}

}  // namespace rhyton::datasets
