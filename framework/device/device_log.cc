#include <rhyton/framework/device/device_log.h>

#include <cstdio>
#include <cstdlib>

#include <rhyton/framework/device/device_runtime.h>

namespace rhyton {

bool is_device_log_enabled() {
  const char* const wanted = std::getenv("RHYTON_LOG");
  if (wanted != nullptr && std::string_view(wanted).find("device") != std::string_view::npos) return true;
  return device_runtime().log_placement();
}

void log_device_event(std::string_view line) {
  if (is_device_log_enabled()) std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace rhyton
