#include <rhyton/applications/weights.h>

#include <cstddef>
#include <iostream>
#include <string_view>
#include <system_error>

#include <rhyton/datasets/location.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/checksum.h>
#include <rhyton/framework/io/download.h>
#include <rhyton/framework/warning.h>

namespace rhyton::applications {
namespace {

constexpr std::string_view storage = "https://storage.googleapis.com";

/// Keras tells the kinds apart by the length of what it was given.
io::ChecksumKind kind_of_checksum(const RemoteFile& file) {
  constexpr std::size_t sha256_digits = 64;
  return file.checksum.size() == sha256_digits ? io::ChecksumKind::sha256 : io::ChecksumKind::md5;
}

/// Whether the file is in the cache as Keras expects it. Keras's warning for one that is not.
bool is_cached(const std::filesystem::path& path, const RemoteFile& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const io::ChecksumKind kind = kind_of_checksum(file);
  if (file.checksum.empty() || io::checksum_of_file(kind, path) == file.checksum) return true;
  warn("A local file was found, but it seems to be incomplete or outdated because the " +
       std::string(kind == io::ChecksumKind::md5 ? "md5" : "sha256") +
       " file hash does not match the original value of " + file.checksum +
       " so we will re-download the data. File: " + path.string());
  return false;
}

std::string address_of(const RemoteFile& file) {
  const std::string_view mirror = environment("RHYTON_KERAS_STORAGE");
  if (mirror.empty() || !file.url.starts_with(storage)) return file.url;
  return std::string(mirror) + file.url.substr(storage.size());
}

}  // namespace

std::filesystem::path weights_folder() { return datasets::cache_folder().parent_path() / "models"; }

std::filesystem::path weights_file(const RemoteFile& file) {
  const std::filesystem::path folder = weights_folder();
  std::filesystem::path path = folder / file.name;
  if (is_cached(path, file)) return path;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw IOError("cannot make the folder \"" + folder.string() + "\" for downloads: " + error.message());
  }
  const io::ChecksumKind kind = kind_of_checksum(file);
  try {
    io::download({address_of(file)}, path,
                 {.sha256 = kind == io::ChecksumKind::sha256 ? file.checksum : "",
                  .md5 = kind == io::ChecksumKind::md5 ? file.checksum : "",
                  .progress = &std::cout});
  } catch (const IOError& failure) {
    const std::string checksum =
        file.checksum.empty() ? "" : " Its " + name_of(kind) + " checksum is " + file.checksum + ".";
    throw IOError("The file " + file.name + " is not in the folder " + folder.string() + ", and " + failure.what() +
                  "\nWithout network access, download it elsewhere from " + file.url + " into that folder." + checksum);
  }
  return path;
}

}  // namespace rhyton::applications
