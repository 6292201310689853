#include <rhyton/applications/weights.h>

#include <system_error>

#include <rhyton/datasets/location.h>
#include <rhyton/framework/error.h>

namespace rhyton::applications {

std::filesystem::path weights_folder() { return datasets::cache_folder().parent_path() / "models"; }

std::filesystem::path weights_file(const RemoteFile& file) {
  std::filesystem::path path = weights_folder() / file.name;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return path;
  const std::string checksum = file.md5.empty() ? "" : " Its MD5 checksum is " + file.md5 + ".";
  throw NotFoundError("The file " + file.name + " is not in the folder " + path.parent_path().string() +
                      ". Download it from " + file.url + " into that folder." + checksum);
}

}  // namespace rhyton::applications
