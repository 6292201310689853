#include <rhyton/framework/warning.h>

#include <iostream>
#include <mutex>
#include <utility>

#include <rhyton/framework/context.h>

namespace rhyton {
namespace {

struct WarningHandler {
  std::mutex mutex;
  std::function<void(const std::string&)> function;
};

}  // namespace

void warn(const std::string& message) {
  auto& handler = context().slot<WarningHandler>();
  std::function<void(const std::string&)> function;
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

void config::set_warning_handler(std::function<void(const std::string&)> handler) {
  auto& current = context().slot<WarningHandler>();
  const std::scoped_lock lock(current.mutex);
  current.function = std::move(handler);
}

}  // namespace rhyton
