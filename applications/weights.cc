#include <rhyton/applications/weights.h>

<<<<<<< HEAD
#include <iostream>
=======
#include <cstddef>
>>>>>>> apps2
#include <system_error>

#include <rhyton/datasets/location.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/checksum.h>
#include <rhyton/framework/io/download.h>
#include <rhyton/framework/warning.h>

namespace rhyton::applications {
namespace {

<<<<<<< HEAD
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
=======
constexpr std::size_t md5_digits = 32;
>>>>>>> apps2

}  // namespace

std::filesystem::path weights_folder() { return datasets::cache_folder().parent_path() / "models"; }

std::filesystem::path weights_file(const RemoteFile& file) {
<<<<<<< HEAD
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
=======
  std::filesystem::path path = weights_folder() / file.name;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return path;
  const std::string kind = file.checksum.size() == md5_digits ? "MD5" : "SHA-256";
  const std::string checksum = file.checksum.empty() ? "" : " Its " + kind + " checksum is " + file.checksum + ".";
  throw NotFoundError("The file " + file.name + " is not in the folder " + path.parent_path().string() +
                      ". Download it from " + file.url + " into that folder." + checksum);
>>>>>>> apps2
}

}  // namespace rhyton::applications
