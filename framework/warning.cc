#include <rhyton/framework/warning.h>

#include <iostream>
#include <mutex>
#include <utility>

#include <rhyton/framework/context.h>

namespace rhyton {
namespace {

struct CurrentHandler {
  std::mutex mutex;
  config::WarningHandler function;
};

}  // namespace

void warn(const std::string& message) {
  auto& handler = context().slot<CurrentHandler>();
  config::WarningHandler function;
  {
    const std::scoped_lock lock(handler.mutex);
    function = handler.function;
  }
  if (function) {
    function(message);
  } else {
    std::cerr << "UserWarning: " + message + "\n" << std::flush;
  }
}

config::WarningHandler config::set_warning_handler(WarningHandler handler) {
  auto& current = context().slot<CurrentHandler>();
  const std::scoped_lock lock(current.mutex);
  return std::exchange(current.function, std::move(handler));
}

}  // namespace rhyton
