#include <rhyton/framework/backends/gpu/runtime/warn_once.h>

#include <mutex>
#include <set>

#include <rhyton/framework/warning.h>

namespace rhyton::gpu {

void warn_once(const std::string& message) {
  static std::mutex mutex;
  static std::set<std::string> known;
  {
    const std::scoped_lock lock(mutex);
    if (!known.insert(message).second) return;
  }
  warn(message);
}

}  // namespace rhyton::gpu
