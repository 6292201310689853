#pragma once

#include <new>
#include <string>
#include <string_view>

#include <rhyton/framework/error.h>

namespace rhyton::io {

/// The result of `read`. When memory runs out, throws ResourceExhaustedError, which names the file `name`.
template <class Read>
auto naming_memory_errors(std::string_view name, Read read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    throw ResourceExhaustedError("not enough memory to read \"" + std::string(name) + "\"");
  } catch (const ResourceExhaustedError& error) {
    const std::string message = error.what();
    if (message.find(name) != std::string::npos) throw;
    throw ResourceExhaustedError("not enough memory to read \"" + std::string(name) + "\": " + message);
  }
}

}  // namespace rhyton::io
