#include <rhyton/applications/weights.h>

#include <cstddef>
#include <system_error>

#include <rhyton/datasets/location.h>
#include <rhyton/framework/error.h>

namespace rhyton::applications {
namespace {

constexpr std::size_t md5_digits = 32;

}  // namespace

std::filesystem::path weights_folder() { return datasets::cache_folder().parent_path() / "models"; }

std::filesystem::path weights_file(const RemoteFile& file) {
  std::filesystem::path path = weights_folder() / file.name;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return path;
  const std::string kind = file.checksum.size() == md5_digits ? "MD5" : "SHA-256";
  const std::string checksum = file.checksum.empty() ? "" : " Its " + kind + " checksum is " + file.checksum + ".";
  throw NotFoundError("The file " + file.name + " is not in the folder " + path.parent_path().string() +
                      ". Download it from " + file.url + " into that folder." + checksum);
}

}  // namespace rhyton::applications
