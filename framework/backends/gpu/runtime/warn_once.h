#pragma once

#include <string>

namespace rhyton::gpu {

/// As `warn`, but each message only once. Thread-safe.
void warn_once(const std::string& message);

}  // namespace rhyton::gpu
