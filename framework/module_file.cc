#include <rhyton/framework/module_file.h>

#include <dlfcn.h>

#include <optional>
#include <string_view>

#include <rhyton/framework/environment.h>

namespace rhyton {

std::filesystem::path module_file(const char* name, const char* variable) {
  if (const std::optional<std::string_view> wanted = environment_if_set(variable)) return *wanted;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&module_file), &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::path(info.dli_fname).parent_path() / name;
}

}  // namespace rhyton
