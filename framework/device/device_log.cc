#include <rhyton/framework/device/device_log.h>

#include <cstdio>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/environment.h>

namespace rhyton {

bool is_device_log_enabled() {
  return environment("RHYTON_LOG").find("device") != std::string_view::npos || device_runtime().log_placement();
}

void log_device_event(std::string_view line) {
  if (is_device_log_enabled()) std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace rhyton
