#include <rhyton/framework/io/zip/names.h>

#include <algorithm>

namespace rhyton::io {

std::string_view zip_name_complaint(std::string_view name) {
  if (name.empty()) {
    return "is empty";
  }
  if (name.front() == '/' || name.front() == '\\' || (name.size() > 1 && name[1] == ':')) {
    return "is absolute";
  }
  if (name.find('\0') != std::string_view::npos) {
    return "has a zero byte";
  }
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("/\\", start), name.size());
    if (name.substr(start, end - start) == "..") {
      return "leads outside of the archive";
    }
    start = end + 1;
  }
  return {};
}

}  // namespace rhyton::io
