#include <rhyton/datasets/location.h>

#include <dlfcn.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

#include <rhyton/framework/environment.h>

namespace rhyton::datasets {
namespace {

namespace fs = std::filesystem;

/// The value of an environment variable; empty values count as unset.
std::optional<fs::path> environment_path(const char* name) {
  const std::string_view value = environment(name);
  return value.empty() ? std::nullopt : std::optional<fs::path>(value);
}

std::optional<fs::path> home_folder() {
  if (auto home = environment_path("HOME")) {
    return home;
  }
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
    return fs::path(entry.pw_dir);
  }
  return std::nullopt;
}

#ifdef RHYTON_DATASETS_FROM_LIBRARY
/// The folder of this library's file, for an installation that was moved.
std::optional<fs::path> library_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&cache_folder), &info) == 0 || info.dli_fname == nullptr) {
    return std::nullopt;
  }
  std::error_code error;
  const fs::path file = fs::canonical(info.dli_fname, error);
  return error ? std::nullopt : std::optional<fs::path>(file.parent_path());
}
#endif

}  // namespace

fs::path cache_folder() {
  if (const auto keras_home = environment_path("KERAS_HOME")) {
    return *keras_home / "datasets";
  }
  const auto home = home_folder();
  const bool writable = home && ::access(home->c_str(), W_OK) == 0;
  return (writable ? *home : fs::path("/tmp")) / ".keras" / "datasets";
}

std::vector<fs::path> dataset_folders(std::string_view name) {
  std::vector<fs::path> folders;
  if (const auto own = environment_path("RHYTON_DATASETS")) {
    folders.push_back(*own / name);
  }
#ifdef RHYTON_DATASETS_FROM_LIBRARY
  if (const auto library = library_folder()) {
    folders.push_back((*library / RHYTON_DATASETS_FROM_LIBRARY / name).lexically_normal());
  }
#endif
#ifdef RHYTON_INSTALL_DATASETS
  folders.push_back(fs::path(RHYTON_INSTALL_DATASETS) / name);
#endif
#ifdef RHYTON_SOURCE_DATASETS
  folders.push_back(fs::path(RHYTON_SOURCE_DATASETS) / name);
#endif
  return folders;
}

}  // namespace rhyton::datasets
