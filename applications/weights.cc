#include <rhyton/applications/weights.h>

#include <iostream>
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

/// Whether the file is in the cache as Keras expects it. Keras's warning for one that is not.
bool is_cached(const std::filesystem::path& path, const RemoteFile& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  if (file.md5.empty() || io::checksum_of_file(io::ChecksumKind::md5, path) == file.md5) return true;
  warn(
      "A local file was found, but it seems to be incomplete or outdated because the md5 file hash does not match the "
      "original value of " +
      file.md5 + " so we will re-download the data. File: " + path.string());
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
  try {
    io::download({address_of(file)}, path, {.md5 = file.md5, .progress = &std::cout});
  } catch (const IOError& failure) {
    const std::string checksum = file.md5.empty() ? "" : " Its MD5 checksum is " + file.md5 + ".";
    throw IOError("The file " + file.name + " is not in the folder " + folder.string() + ", and " + failure.what() +
                  "\nWithout network access, download it elsewhere from " + file.url + " into that folder." + checksum);
  }
  return path;
}

}  // namespace rhyton::applications
